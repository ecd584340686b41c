"""IFEval's verifiable instructions as format rules, as far as a rule on the raw output can say what they say.

What they need besides: sentences and capital words need NLTK's tokenizers, languages a language detector, counts that
must be exact (bullets, paragraphs) or are the sum of two patterns (highlights) are no search, a JSON answer may stand
in a fence, and two responses must differ from each other. Those have no rule here; `instructions@v1` checks them all.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Values = Mapping[str, Any]


def _count(pattern: str, values: Values, relation: str, least: int) -> dict[str, Any]:
    """Return a rule that a pattern is found at least so often, or, inverted, less often."""
    found = f"(?is){'(?:' + pattern + ').*?' if least == 1 else f'(?:(?:{pattern}).*?){{{least}}}'}"
    return {"pattern": found, "invert": values[relation] == "less than"}


def _no_comma(_: Values) -> dict[str, Any]:
    return {"pattern": ",", "invert": True}


def _forbidden(values: Values) -> dict[str, Any]:
    words = "|".join(values["forbidden_words"])
    return {"pattern": rf"(?i)\b(?:{words})\b", "invert": True}


def _existing(values: Values) -> dict[str, Any]:
    return {"pattern": "(?is)\\A" + "".join(f"(?=.*?(?:{word}))" for word in values["keywords"])}


def _frequency(values: Values) -> dict[str, Any]:
    return _count(values["keyword"], values, "relation", values["frequency"])


def _letters(values: Values) -> dict[str, Any]:
    return _count(re.escape(values["letter"].lower()), values, "let_relation", values["let_frequency"])


def _words(values: Values) -> dict[str, Any]:
    # Possessive: a word is never counted as two.
    return {"pattern": rf"(?:\w++\W*+){{{values['num_words']}}}", "invert": values["relation"] == "less than"}


def _repeated(values: Values) -> dict[str, Any] | None:
    pattern = r"(?i)\A\s*" + re.escape(values["prompt_to_repeat"].strip())
    return {"pattern": pattern} if len(pattern) <= 1000 else None


def _title(_: Values) -> dict[str, Any]:
    return {"pattern": r"<<[^\n]*?[^\s<>][^\n]*>>"}


def _quoted(_: Values) -> dict[str, Any]:
    return {"pattern": r'(?s)\A\s*".*"\s*\Z'}


def _postscript(values: Values) -> dict[str, Any]:
    marker = values["postscript_marker"].strip()
    known = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
    return {"pattern": f"(?i){known.get(marker, re.escape(marker.lower()))}"}


def _placeholders(values: Values) -> dict[str, Any]:
    return {"pattern": rf"(?:\[[^\n]*?\][\s\S]*?){{{values['num_placeholders']}}}"}


def _ending(values: Values) -> dict[str, Any]:
    return {"pattern": rf'(?i){re.escape(values["end_phrase"].strip())}"*\s*\Z'}


def _sections(values: Values) -> dict[str, Any]:
    splitter = values["section_spliter"].strip()
    return {"pattern": rf"(?:\s?{splitter}\s?\d+\s?[\s\S]*?){{{values['num_sections']}}}"}


def _constrained(_: Values) -> dict[str, Any]:
    return {"pattern": r"My answer is (?:yes|no|maybe)\."}


RULES: dict[str, Callable[[Values], dict[str, Any] | None]] = {
    "punctuation:no_comma": _no_comma,
    "keywords:forbidden_words": _forbidden,
    "keywords:existence": _existing,
    "keywords:frequency": _frequency,
    "keywords:letter_frequency": _letters,
    "length_constraints:number_words": _words,
    "combination:repeat_prompt": _repeated,
    "detectable_format:title": _title,
    "detectable_format:constrained_response": _constrained,
    "detectable_format:multiple_sections": _sections,
    "detectable_content:postscript": _postscript,
    "detectable_content:number_placeholders": _placeholders,
    "startend:quotation": _quoted,
    "startend:end_checker": _ending,
}


def rule_of(instruction: str, values: Values) -> dict[str, Any] | None:
    """Return an instruction as a format rule; None where a rule cannot say it."""
    made = RULES[instruction](values) if instruction in RULES else None
    return None if made is None else {"name": instruction.replace(":", "."), **made}
