"""Transformers models, made on the spot: causal, seq2seq and classification, each with an adapter."""

import json
import math

import pytest
import torch
from transformers import AutoTokenizer

from steelyard.errors import ConfigurationError, InputError
from steelyard.models import ModelOptions, open_model
from steelyard.records.models import Generation, Message, ModelRequest
from tests.tiny_models import AUTOMATIC, make_adapter, make_causal, make_classifier, make_seq2seq

MAKERS = {"causal": make_causal, "seq2seq": make_seq2seq, "classification": make_classifier}
PROMPTS = ["what is the capital of peru ?", "red", "the film was very very good and fun . yes", "one plus two equals"]
KINDS = ["causal", "seq2seq", "classification"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    for kind, make in MAKERS.items():
        make(root / kind)
    return root


def requests(prompts=PROMPTS, reference=None, **generation):
    settings = Generation(**{"max_new_tokens": 6, **generation})
    return [ModelRequest(text, (Message("user", text),), settings, reference=reference) for text in prompts]


def opened(spec, **options):
    return open_model(f"hf:{spec}", ModelOptions(threads=1, **options))


def outputs(model, asked=None):
    return [reply.output for _, reply in model.ask(asked or requests())]


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_gives_what_each_item_gets_alone(folders, kind):
    model = opened(folders / kind, batch_size=4)
    assert outputs(model) == [model.generate(request).output for request in requests()]


@pytest.mark.parametrize("kind", KINDS)
def test_greedy_answers_equal_those_of_the_library_itself(folders, kind):
    tokenizer = AutoTokenizer.from_pretrained(folders / kind)
    library = AUTOMATIC[kind].from_pretrained(folders / kind).eval()
    expected = []
    for text in PROMPTS:
        tokens = tokenizer(text, return_tensors="pt")["input_ids"]
        if kind == "classification":
            expected.append(library.config.id2label[int(library(input_ids=tokens).logits.argmax())])
            continue
        mask = torch.ones_like(tokens)
        found = library.generate(tokens, attention_mask=mask, max_new_tokens=6, do_sample=False)
        expected.append(
            tokenizer.decode(found[0, tokens.shape[1] if kind == "causal" else 1 :], skip_special_tokens=True)
        )
    assert outputs(opened(folders / kind)) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_merged_adapter_answers_like_the_unmerged_one(folders, tmp_path, kind):
    unmerged = make_adapter(tmp_path, folders / kind, kind)
    model = opened(f"{folders / kind}+adapter={tmp_path}")
    tokens = torch.tensor([[5, 6, 7, 8]])
    inputs = {"input_ids": tokens} | ({"decoder_input_ids": tokens} if kind == "seq2seq" else {})
    with torch.no_grad():
        expected = unmerged(**inputs).logits
        merged = model.loaded.model(**inputs).logits
        base = AUTOMATIC[kind].from_pretrained(folders / kind).eval()(**inputs).logits
    torch.testing.assert_close(merged, expected, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(merged, base, atol=1e-4)
    assert model.identity.adapter.startswith("sha256:")


@pytest.mark.parametrize("kind", KINDS)
def test_an_adapter_that_changes_nothing_is_refused(folders, tmp_path, kind):
    make_adapter(tmp_path, folders / kind, kind, effect=False)
    with pytest.raises(ConfigurationError, match=r"changes nothing.*\n.*trained"):
        opened(f"{folders / kind}+adapter={tmp_path}")


def test_token_counts_and_the_reason_to_stop_come_from_the_model(folders):
    reply = opened(folders / "causal").generate(requests(["red green blue"], max_new_tokens=3)[0])
    assert (reply.prompt_tokens, reply.completion_tokens) == (3, 3)
    assert (reply.finish_reason, reply.truncated) == ("length", True)


def test_an_answer_ends_before_a_stop_text(folders):
    model = opened(folders / "causal")
    whole = model.generate(requests(["red"], max_new_tokens=12)[0]).output.split()
    word = whole[3]
    cut = model.generate(requests(["red"], max_new_tokens=12, stop=(word,))[0])
    assert word not in cut.output
    assert cut.finish_reason == "stop"


def test_the_chat_template_is_applied_where_there_is_one(tmp_path):
    model = opened(make_causal(tmp_path, chat=True))
    tokens = model.prompt_tokens(requests(["red"])[0])
    assert model.loaded.tokenizer.decode(tokens) == "user : red assistant :"
    assert model.identity.template != "none"


def test_a_prompt_beyond_the_window_is_the_items_failure(folders):
    replies = [reply for _, reply in opened(folders / "causal").ask(requests(["red " * 100, "red"]))]
    assert [reply.state for reply in replies] == ["failed", None]
    assert "window is 64" in replies[0].error


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_the_loss_equals_a_direct_computation(folders, kind):
    tokenizer = AutoTokenizer.from_pretrained(folders / kind)
    library = AUTOMATIC[kind].from_pretrained(folders / kind).eval()
    prompt, reference = "what is the capital of peru ?", "lima . yes"
    asked, wanted = (tokenizer(text, return_tensors="pt")["input_ids"] for text in (prompt, reference))
    with torch.no_grad():
        if kind == "causal":
            whole = torch.cat([asked, wanted], dim=1)
            labels = whole.clone()
            labels[:, : asked.shape[1]] = -100
            expected = library(input_ids=whole, labels=labels).loss.item()
        else:
            expected = library(input_ids=asked, labels=wanted).loss.item()
    reply = opened(folders / kind, losses=True).generate(requests([prompt], reference=reference)[0])
    assert math.isclose(reply.loss, expected, rel_tol=1e-5)
    assert reply.n_tokens == 3


def test_a_classifier_gives_a_label_and_every_labels_probability(folders):
    reply = opened(folders / "classification").generate(requests(["good film"])[0])
    assert {*reply.probabilities} == {"negative", "positive"}
    assert math.isclose(sum(reply.probabilities.values()), 1)
    assert reply.confidence == max(reply.probabilities.values()) == reply.probabilities[reply.output]


def test_sampling_is_seeded_by_item_and_not_by_neighbours(folders):
    model = opened(folders / "causal")
    drawn = requests(temperature=2.0, seed=5)
    assert outputs(model, drawn) == [model.generate(request).output for request in drawn]
    assert outputs(model, requests(temperature=2.0, seed=6)) != outputs(model, drawn)


def test_a_pickle_is_refused_with_the_way_out(folders, tmp_path):
    library = AUTOMATIC["causal"].from_pretrained(folders / "causal")
    library.config.save_pretrained(tmp_path)
    torch.save(library.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(ConfigurationError, match=r"unsafe-model.*pickle(.|\n)*safetensors"):
        opened(tmp_path)


def test_an_adapter_that_is_a_pickle_is_refused(folders, tmp_path):
    make_adapter(tmp_path, folders / "causal", "causal")
    (tmp_path / "adapter_model.safetensors").rename(tmp_path / "adapter_model.bin")
    with pytest.raises(ConfigurationError, match=r"unsafe-model.*pickle"):
        opened(f"{folders / 'causal'}+adapter={tmp_path}")


def test_remote_code_is_refused(folders, tmp_path):
    config = json.loads((folders / "causal" / "config.json").read_text())
    config |= {"model_type": "homemade", "auto_map": {"AutoConfig": "homemade.Config"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "homemade.py").write_text("raise SystemExit('ran foreign code')")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ConfigurationError, match=r"needs code of its own(.|\n)*never run"):
        opened(tmp_path)


def test_an_adapter_given_as_a_model_is_told_how_to_name_its_base(folders, tmp_path):
    make_adapter(tmp_path, folders / "causal", "causal")
    with pytest.raises(ConfigurationError, match=r"hf:BASE\+adapter="):
        opened(tmp_path)


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="bad-model"):
        opened(tmp_path)
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        opened("nobody/nothing-here")


def test_a_missing_extra_says_what_to_install(folders, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'steelyard\[local\]'"):
        opened(folders / "causal")
