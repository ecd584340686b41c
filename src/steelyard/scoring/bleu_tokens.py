"""The tokens of BLEU, equal to sacrebleu's: `13a`, `intl`, `zh`, `char` and `none`."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import regex

BleuTokenizer: TypeAlias = Literal["13a", "intl", "zh", "char", "none"]

_WESTERN = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_INTERNATIONAL = (
    (regex.compile(r"(\P{N})(\p{P})"), r"\1 \2 "),
    (regex.compile(r"(\p{P})(\P{N})"), r" \1 \2"),
    (regex.compile(r"(\p{S})"), r" \1 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))

# sacrebleu means to name the ideographs beyond U+20000 and writes "\u20000", which is U+2000 and a zero. The two ranges
# that follow from that, U+2001 to U+2A6D and U+2F81 to U+2FA1, are kept: a score must equal the published ones.
_CHINESE = re.compile(
    "[\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\u2001-\u2a6d\u2f81-\u2fa1\uff00-\uffef"
    "\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
    "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u32ff\u3300-\u33ff]"
)


def bleu_tokens(text: str, tokenize: BleuTokenizer, *, lowercase: bool) -> list[str]:
    """Return the tokens of a text.

    >>> bleu_tokens("It cost $1,000.50, he said.", "13a", lowercase=True)
    ['it', 'cost', '$', '1,000.50', ',', 'he', 'said', '.']
    """
    line = (text.lower() if lowercase else text).rstrip()
    return _spaced(line, tokenize).split()


def _spaced(line: str, tokenize: BleuTokenizer) -> str:
    match tokenize:
        case "13a":
            return _western(f" {_unescaped(line)} ")
        case "zh":
            return _western(_CHINESE.sub(r" \g<0> ", line.strip()))
        case "intl":
            for pattern, replacement in _INTERNATIONAL:
                line = pattern.sub(replacement, line)
            return line
        case "char":
            return " ".join(line)
        case "none":
            return line


def _unescaped(line: str) -> str:
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        line = line.replace(entity, character)
    return line


def _western(line: str) -> str:
    for pattern, replacement in _WESTERN:
        line = pattern.sub(replacement, line)
    return line
