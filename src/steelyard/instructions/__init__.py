"""Verifiable instructions: what a text has to do that a program can check, in the terms of IFEval (Zhou et al. 2023).

`keywords`, `lengths`, `formats` and `wording` have one function for each instruction; its keyword arguments are the
instruction's. `reading` makes instructions of JSON, `following` checks a text against them, strictly and loosely.
"""

from steelyard.instructions import formats, keywords, lengths, wording
from steelyard.instructions.following import Followed, follow
from steelyard.instructions.libraries import library_versions
from steelyard.instructions.reading import BadInstruction, instruction_object, instruction_text, read_instructions
from steelyard.instructions.table import DEFINITIONS, Definition

__all__ = [
    "DEFINITIONS",
    "BadInstruction",
    "Definition",
    "Followed",
    "follow",
    "formats",
    "instruction_object",
    "instruction_text",
    "keywords",
    "lengths",
    "library_versions",
    "read_instructions",
    "wording",
]
