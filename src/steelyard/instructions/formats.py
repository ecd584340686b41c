"""Instructions about the form of a text: its parts, its marks, how it begins and ends.

Each check takes time in proportion to the text, whatever the text: patterns that would look ahead to the end of a line
from every bracket in it are written as searches that do not.
"""

from __future__ import annotations

import json
import re

from steelyard.instructions.table import Count, Finding, Phrase, counted, instruction

CONSTRAINED_RESPONSES = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
_POSTSCRIPTS = {"P.P.S": re.compile(r"p\.\s?p\.\s?s"), "P.S.": re.compile(r"p\.\s?s\.")}
# White space before a bullet stays in its line: over many empty lines the search would begin again at each.
_BULLETS = (re.compile(r"^[^\S\n]*\*[^*].*$", re.MULTILINE), re.compile(r"^[^\S\n]*-.*$", re.MULTILINE))
_HIGHLIGHTS = (re.compile(r"\*([^\n*]*)\*"), re.compile(r"\*\*([^\n*]*)\*\*"))
_FENCES = ("```json", "```Json", "```JSON", "```")


@instruction("detectable_content:number_placeholders")
def number_placeholders(text: str, *, num_placeholders: Count) -> Finding:
    """The text has at least so many placeholders such as `[address]`."""
    return counted(sum(map(_placeholders, text.split("\n"))), "placeholders", "at least", num_placeholders)


def _placeholders(line: str) -> int:
    count, end = 0, 0
    while (start := line.find("[", end)) >= 0 and (end := line.find("]", start) + 1):
        count += 1
    return count


@instruction("detectable_content:postscript")
def postscript(text: str, *, postscript_marker: Phrase) -> Finding:
    """The text has a postscript that begins with the marker, in whatever case."""
    marker, lowered = postscript_marker.strip(), text.lower()
    known = _POSTSCRIPTS.get(marker)
    found = known.search(lowered) is not None if known else marker.lower() in lowered
    return Finding(found, "a postscript" if found else "no postscript")


@instruction("detectable_format:number_bullet_lists")
def number_bullet_lists(text: str, *, num_bullets: Count) -> Finding:
    """The text has exactly so many bullet points, lines that begin with `*` or `-`."""
    count = sum(len(pattern.findall(text)) for pattern in _BULLETS)
    return Finding(count == num_bullets, f"bullet points: {count}, {num_bullets} asked")


@instruction("detectable_format:constrained_response")
def constrained_response(text: str) -> Finding:
    """The text has one of "My answer is yes.", "My answer is no." and "My answer is maybe."."""
    found = any(response in text for response in CONSTRAINED_RESPONSES)
    return Finding(found, "one of the answers allowed" if found else "none of the answers allowed")


@instruction("detectable_format:number_highlighted_sections")
def number_highlighted_sections(text: str, *, num_highlights: Count) -> Finding:
    """The text has at least so many highlighted sections such as `*this*`; `**this**` may count twice, as in IFEval."""
    found = [part for pattern in _HIGHLIGHTS for part in pattern.findall(text)]
    return counted(sum(1 for part in found if part.strip()), "highlighted sections", "at least", num_highlights)


@instruction("detectable_format:multiple_sections")
def multiple_sections(text: str, *, section_spliter: Phrase, num_sections: Count) -> Finding:
    """The text has at least so many sections that begin with a word and a number, such as `Section 1`."""
    splitter = re.compile(rf"\s?{re.escape(section_spliter.strip())}\s?\d+\s?")
    return counted(len(splitter.findall(text)), "sections", "at least", num_sections)


@instruction("detectable_format:json_format")
def json_format(text: str) -> Finding:
    """The whole text is JSON, in a Markdown fence or not."""
    inner = text.strip()
    for fence in _FENCES:
        inner = inner.removeprefix(fence)
    try:
        json.loads(inner.removesuffix("```").strip())
    except (ValueError, RecursionError):
        return Finding(followed=False, found="no JSON")
    return Finding(followed=True, found="JSON")


@instruction("detectable_format:title")
def title(text: str) -> Finding:
    """The text has a title in double angular brackets, such as `<<poem of joy>>`."""
    found = any(map(_has_title, text.split("\n")))
    return Finding(found, "a title" if found else "no title")


def _has_title(line: str) -> bool:
    start, end = line.find("<<"), line.rfind(">>")
    return 0 <= start < end - 2 and bool(line[start : end + 2].lstrip("<").rstrip(">").strip())


@instruction("combination:two_responses")
def two_responses(text: str) -> Finding:
    """The text has two different responses with `******` between them."""
    parts = text.split("******")
    filled = [part.strip() for part in parts if part.strip()]
    none_empty = all(part.strip() for part in parts[1:-1])
    differ = len(filled) == 2 and filled[0] != filled[1]
    return Finding(none_empty and differ, f"responses: {len(filled)}, 2 different ones asked")


@instruction("combination:repeat_prompt")
def repeat_prompt(text: str, *, prompt_to_repeat: Phrase) -> Finding:
    """The text begins with the prompt, word for word, in whatever case."""
    found = text.strip().lower().startswith(prompt_to_repeat.strip().lower())
    return Finding(found, "the prompt at the beginning" if found else "another beginning than the prompt")


@instruction("startend:end_checker")
def end_checker(text: str, *, end_phrase: Phrase) -> Finding:
    """The text ends with the phrase, in whatever case."""
    found = text.strip().strip('"').lower().endswith(end_phrase.strip().lower())
    return Finding(found, "the phrase at the end" if found else "another end than the phrase")


@instruction("startend:quotation")
def quotation(text: str) -> Finding:
    """The whole text stands in double quotation marks."""
    inner = text.strip()
    found = len(inner) > 1 and inner[0] == inner[-1] == '"'
    return Finding(found, "quotation marks around the text" if found else "no quotation marks around the text")


@instruction("punctuation:no_comma")
def no_comma(text: str) -> Finding:
    """The text has no comma."""
    count = text.count(",")
    return Finding(not count, f"commas: {count}")
