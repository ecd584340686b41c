"""What checks need from outside: found, dated, and asked for where it is missing."""

import json
import subprocess
import sys

import pytest

from steelyard.errors import ConfigurationError
from steelyard.instructions import languages, libraries, sentences
from steelyard.registry import bind_metric, bind_scorer


def test_signatures_carry_the_versions_and_the_data():
    versions = libraries.library_versions()
    assert set(versions) == {"langdetect", "nltk", "punkt"}
    signed = ",".join(f"{name}={value}" for name, value in sorted(versions.items()))
    assert bind_scorer("instructions@v1").signature == f"instructions@v1|{signed}"
    assert bind_metric("instruction_accuracy").signature == f"instruction_accuracy@v1|{signed}"


def test_sentences_and_words_are_those_of_nltk():
    import nltk

    nltk.data.path.append(str(libraries.punkt_folder().parents[2]))
    text = 'Dr. Smith paid $3.50, e.g. for "tea." He left the U.S. It rained... WHY? "No!" she said.'
    assert sentences.sentences(text) == nltk.sent_tokenize(text)
    assert sentences.words(text) == nltk.word_tokenize(text)


def test_the_parameters_are_read_as_nltk_reads_them():
    import nltk

    nltk.data.path.append(str(libraries.punkt_folder().parents[2]))
    ours, theirs = sentences._sentence_tokenizer()._params, nltk.tokenize.PunktTokenizer("english")._params
    for name in ("abbrev_types", "sent_starters", "collocations"):
        assert getattr(ours, name) == getattr(theirs, name), name
    # Words that were looked up and are not known stand there with 0: what other tests have read must not count.
    known = [{word: flags for word, flags in each.ortho_context.items() if flags} for each in (ours, theirs)]
    assert known[0] == known[1]


def test_the_languages_are_those_that_the_library_tells():
    from pathlib import Path
    from typing import get_args

    from langdetect.detector_factory import PROFILES_DIRECTORY

    assert sorted(get_args(languages.Language)) == sorted(file.name for file in Path(PROFILES_DIRECTORY).iterdir())


def test_the_language_of_a_text_is_the_same_in_every_process():
    text = "una casa in the middle der Strasse"
    program = (
        f"from steelyard.instructions.languages import language; print([language({text!r}[n:]) for n in range(9)])"
    )
    found = {subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(found) == 1


def test_without_a_library_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "langdetect", None)
    monkeypatch.setitem(sys.modules, "langdetect.detector_factory", None)
    languages._factory.cache_clear()
    with pytest.raises(ConfigurationError) as raised:
        languages.language("Guten Tag")
    assert raised.value.problems[0].hint == "pip install 'steelyard[instructions]'"


def test_without_the_data_the_message_says_both_ways_to_it(monkeypatch):
    monkeypatch.setattr(libraries, "_CARRIER", "no_such_package.inside")
    monkeypatch.setattr("nltk.data.path", [])
    libraries.punkt_folder.cache_clear()
    try:
        with pytest.raises(ConfigurationError) as raised:
            libraries.punkt_folder()
    finally:
        libraries.punkt_folder.cache_clear()
    assert "nltk.downloader punkt_tab" in raised.value.problems[0].hint
    assert "llama-index-core" in raised.value.problems[0].hint


def test_instructions_that_need_no_library_import_none():
    program = (
        "import sys, json; from steelyard.instructions import follow, read_instructions;"
        "follow('a, b', read_instructions([{'id': 'punctuation:no_comma'}]));"
        "print(json.dumps([name for name in ('nltk', 'langdetect') if name in sys.modules]))"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert json.loads(found.stdout) == []
