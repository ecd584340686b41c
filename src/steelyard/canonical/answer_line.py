"""`extract: answer_line`, version 1: the last answer marker of a text, to the end of its line.

Markers, in any case. After a *label* the answer stands alone; a *sentence* ends with a full stop of its own.

| marker | kind | from |
| --- | --- | --- |
| `Answer:`, `Final answer:` (also `**Answer:**`, and `：`) | label | the specification, seed 000 |
| `答案：`, `答案:` | label | the specification |
| `【答案】`, to `<eoa>` where that stands | label | GAOKAO-Bench's form |
| `####` at the start of a line that is a number and nothing else | label | GSM8K's last line |
| `final answer is`, `the answer is`, `answer is` | sentence | the specification, BIG-Bench Hard |
| `答案是`, `答案为` | sentence | the same in Chinese |

The answer is stripped, and Markdown's `**` around it removed. After a sentence marker one final full stop (`.` or `。`)
is removed, unless its word is an abbreviation with another one in it (`U.S.`). A marker with nothing after it on its
line is no answer, also when an earlier one has one. Lines end at LF or CR; U+2028 is not a line break.

Before it: the parts of an output that are reasoning, which no extraction looks at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from steelyard.canonical.outcome import UNCLOSED_REASONING, Found, Outcome, nothing

_WORD_START = r"(?<![A-Za-z0-9_])"
_MARKER = re.compile(
    rf"""
      (?P<label>
          {_WORD_START}answer[*_]{{0,3}}[ \t]?[:：][*_]{{0,3}}
        | 答案[*_]{{0,3}}[ \t]?[:：][*_]{{0,3}}
        | 【答案】[ \t]*[:：]?
        | ^\#{{4}}(?=[ \t]*[-+$]?[\d.,]+%?[ \t\r]*$)
      )
    | (?P<sentence>
          {_WORD_START}answer[ ]is(?![A-Za-z'’])[:：]?
        | 答案[是为][:：]?
      )
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_LINE_END = re.compile(r"[\r\n]")
_END_OF_ANSWER = "<eoa>"
_TAIL = 64
"""How much of a prompt's end can hold a marker."""


def answer_line(text: str, *, marker_in_prompt: bool = False) -> Outcome:
    """Return the answer after the last marker.

    >>> answer_line("Answer: 3 is wrong. So the final answer is 4.").value
    '4'
    """
    last = None
    for marker in _MARKER.finditer(text):
        last = marker
    if last is not None:
        line = _rest_of_line(text, last.end())
        answer = _cleaned(line, sentence=last["sentence"] is not None)
        return Found(answer, last.start()) if answer else nothing("there is nothing after the last answer marker")
    if marker_in_prompt:
        stripped = text.lstrip()
        answer = _cleaned(_rest_of_line(stripped, 0), sentence=False)
        return Found(answer, 0) if answer else nothing("there is nothing after the prompt's answer marker")
    return nothing("there is no answer marker such as `Answer:`")


def ends_with_marker(prompt: str) -> bool:
    r"""Return whether a prompt leaves off at an answer marker, so that the output is what follows it.

    >>> ends_with_marker("What is 2 + 2?\nAnswer:"), ends_with_marker("Answer: 4. Next?")
    (True, False)
    """
    tail = prompt.rstrip()[-_TAIL:]
    return any(marker.end() == len(tail) for marker in _MARKER.finditer(tail))


def without_full_stop(text: str) -> str:
    """Return a text without the full stop that ends its sentence; an abbreviation keeps its own.

    >>> without_full_stop("in the U.S."), without_full_stop("3.5 m."), without_full_stop("巴黎。")
    ('in the U.S.', '3.5 m', '巴黎')
    """
    if not text.endswith((".", "。")):
        return text
    last_word = text[:-1].rsplit(maxsplit=1)[-1:]
    abbreviated = bool(last_word) and re.search(r"[A-Za-z]\.[A-Za-z]*$|\.$", last_word[0]) is not None
    return text if abbreviated else text[:-1].rstrip()


def _rest_of_line(text: str, start: int) -> str:
    end = _LINE_END.search(text, start)
    return text[start : end.start() if end else len(text)]


def _cleaned(line: str, *, sentence: bool) -> str:
    answer = _without_emphasis(line.split(_END_OF_ANSWER, maxsplit=1)[0].strip())
    return without_full_stop(answer) if sentence else answer


def _without_emphasis(answer: str) -> str:
    """Remove `**` around the whole answer, and the closing one of an emphasis that began before the marker."""
    marks = answer.count("**")
    for stop in ("", ".", "。"):
        closing = "**" + stop
        if marks == 2 and answer.startswith("**") and answer.endswith(closing):
            return answer[2 : -len(closing)].strip() + stop
        if marks == 1 and answer.endswith(closing):
            return answer[: -len(closing)].strip() + stop
    return answer


# Separates a model's reasoning block from its answer, before anything is extracted.
#
# A block is `<think>…</think>`, `<thinking>…</thinking>` or `<reasoning>…</reasoning>` in any case; any of the
# closing tags closes any of the opening ones, and blocks nest. Three rules for what is odd:
#
# - A block that is never closed reaches to the end of the text and is tagged `unclosed_reasoning`: the answer is
# what stands before it. - A closing tag with no opening one means that everything before it is reasoning: the
# templates of DeepSeek-R1 and its kin put the opening tag into the prompt, so that the output starts inside the
# block. - Nothing that is inside a block is ever part of the answer; where a block is cut out of a text, a line
# break stands.


_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|reasoning)\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Separated:
    """A text in two parts."""

    answer_text: str
    reasoning_text: str | None
    """None where there is no block."""
    tags: tuple[str, ...] = ()


def separate_reasoning(text: str) -> Separated:
    r"""Return the answer part and the reasoning part of a text; a text without a block comes back unchanged.

    >>> separate_reasoning("<think>2 and 2</think>\nAnswer: 4")
    Separated(answer_text='Answer: 4', reasoning_text='2 and 2', tags=())
    >>> separate_reasoning("So 4. <think>or 5").tags
    ('unclosed_reasoning',)
    """
    pieces: list[tuple[str, bool]] = []
    depth = position = answer_from = 0
    for tag in _TAG.finditer(text):
        pieces.append((text[position : tag.start()], depth > 0))
        position = tag.end()
        if not tag["closing"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            answer_from = len(pieces)
    if not pieces:
        return Separated(text, None)
    pieces.append((text[position:], depth > 0))
    hidden = [inside or index < answer_from for index, (_, inside) in enumerate(pieces)]
    answer = _joined(piece for (piece, _), inside in zip(pieces, hidden, strict=True) if not inside)
    reasoning = _joined(piece for (piece, _), inside in zip(pieces, hidden, strict=True) if inside)
    return Separated(answer, reasoning, (UNCLOSED_REASONING,) if depth else ())


def _joined(pieces: Iterable[str]) -> str:
    return "\n".join(stripped for piece in pieces if (stripped := piece.strip()))
