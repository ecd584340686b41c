"""The IFEval code that lm-eval ships, as an oracle: Google's checkers, with nothing of ours in them.

lm-eval is installed without its dependencies, so its packages are made by hand around the few files that are needed.
"""

import logging
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

from steelyard.instructions.libraries import punkt_folder


@cache
def checker():
    """Return lm-eval's module of strict and loose checks."""
    import langdetect
    import nltk

    # tokenizers/punkt_tab/english is three folders below what NLTK calls its data.
    nltk.data.path.append(str(punkt_folder().parents[2]))
    langdetect.DetectorFactory.seed = 0
    here = Path(find_spec("lm_eval").origin).parent
    for name in ("lm_eval", "lm_eval.tasks", "lm_eval.tasks.ifeval"):
        package = ModuleType(name)
        package.__path__ = [str(here.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    # What NLTK gives for the pickle that the code asks for, which newer versions no longer read.
    tokenizer = nltk.tokenize.PunktTokenizer("english")
    import_module("lm_eval.tasks.ifeval.instructions_util")._get_sentence_tokenizer = lambda: tokenizer
    # It logs texts without a language as they are, and workers cannot send each other lone surrogates.
    logging.getLogger("lm_eval.tasks.ifeval.instructions").disabled = True
    return import_module("lm_eval.tasks.ifeval.utils")


def verdicts(text, instructions):
    """Return the strict and the loose verdicts on instructions, given as JSON objects."""
    arguments = [{name: value for name, value in entry.items() if name != "id"} for entry in instructions]
    asked = SimpleNamespace(instruction_id_list=[entry["id"] for entry in instructions], prompt="", kwargs=arguments)
    strict = checker().test_instruction_following_strict(asked, text).follow_instruction_list
    return strict, checker().test_instruction_following_loose(asked, text).follow_instruction_list
