"""Which characters are Han, kana or hangul: scripts without spaces between words, so each character is a token.

Letters only: the middle dot and other punctuation of those blocks are not characters of a script. The prolonged sound
mark and the iteration marks are, because words are spelled with them.
"""

from __future__ import annotations

import re

_HAN = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KANA = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001afff\U0001b000-\U0001b16f"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\uffa0-\uffdc"

CJK = f"{_HAN}{_KANA}{_HANGUL}"
"""Han, kana and hangul, as the inside of a regular expression's character class."""

CJK_CHARACTER = re.compile(f"[{CJK}]")
"""One Han, kana or hangul character."""


def has_cjk(text: str) -> bool:
    """Return whether a text has a Han, kana or hangul character.

    >>> has_cjk("营收 up"), has_cjk("naïve"), has_cjk("・")
    (True, False, False)
    """
    return not text.isascii() and CJK_CHARACTER.search(text) is not None
