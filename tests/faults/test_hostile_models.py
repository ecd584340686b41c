"""Model folders and files that are damaged or hostile, through the command: a message with a code, in time, never 70.

Every row of the tables is one way in which a model that came from somewhere can be wrong.
"""

import json
import shutil
import struct
from pathlib import Path

import pytest

from steelyard.models import chat_templates
from tests.tiny_models import make_adapter, make_causal

ITEM = b'{"id":"a","prompt":"what is the capital of peru ?","expected_answer":"lima"}\n'
WEIGHTS = "model.safetensors"
LOOP = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A model of a few thousand parameters with a chat template, and an adapter for it."""
    root = tmp_path_factory.mktemp("sound")
    make_causal(root / "model", chat=True)
    make_adapter(root / "adapter", root / "model", "causal")
    return root


@pytest.fixture(autouse=True)
def _quick_limits(monkeypatch):
    monkeypatch.setattr(chat_templates, "SECONDS", 0.3)
    monkeypatch.setenv("STEELYARD_THREADS", "1")


@pytest.fixture
def asked(steelyard, sound):
    """Damage a copy of the model, or of the adapter, and evaluate it."""

    def run(damage, place="model"):
        for name in ("model", "adapter"):
            shutil.copytree(sound / name, name)
        damage(Path(place))
        spec = "hf:model" if place == "model" else "hf:model+adapter=adapter"
        given = ("--dataset", "items.jsonl", "--answer-type", "text", "--model", spec, "--name", "run")
        return steelyard("eval", *given, "--json", items__jsonl=ITEM)

    return run


def file_of(folder):
    return next(folder.glob("*.safetensors"))


def parts(folder):
    content = file_of(folder).read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def bytes_are(change):
    return lambda folder: file_of(folder).write_bytes(change(file_of(folder).read_bytes()))


def header_is(change, *, claims=None):
    """Write the weights with another header: an object, or bytes that are none."""

    def damage(folder):
        header, body = parts(folder)
        new = change(header)
        text = new if isinstance(new, bytes) else json.dumps(new).encode()
        file_of(folder).write_bytes(struct.pack("<Q", len(text) if claims is None else claims) + text + body)

    return damage


def first_tensor(**changes):
    def change(header):
        name = next(name for name in header if name != "__metadata__")
        return header | {name: header[name] | changes}

    return header_is(change)


def without_first(header):
    name = next(name for name in header if name != "__metadata__")
    return {key: entry for key, entry in header.items() if key != name}


def renamed_first(header):
    name = next(name for name in header if name != "__metadata__")
    return {("other" if key == name else key): entry for key, entry in header.items()}


def values_are(value):
    def damage(folder):
        header, body = parts(folder)
        text = json.dumps(header).encode()
        file_of(folder).write_bytes(struct.pack("<Q", len(text)) + text + value * (len(body) // len(value)))

    return damage


def config(**changes):
    def damage(folder):
        file = folder / "config.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    return damage


def holds(name, content):
    return lambda folder: (folder / name).write_bytes(content)


DAMAGED = {
    "no bytes": bytes_are(lambda content: b""),
    "seven bytes": bytes_are(lambda content: content[:7]),
    "cut in the header": bytes_are(lambda content: content[:40]),
    "cut in the tensors": bytes_are(lambda content: content[: len(content) // 2]),
    "one byte too few": bytes_are(lambda content: content[:-1]),
    "one byte too many": bytes_are(lambda content: content + b"\0"),
    "a header of 8 EiB": header_is(dict, claims=1 << 63),
    "a header that is longer than the file": header_is(dict, claims=1 << 20),
    "a header that is shorter than it is": header_is(dict, claims=10),
    "a header that is cut JSON": header_is(lambda header: b'{"a":'),
    "a header that is a list": header_is(lambda header: b"[]"),
    "a header that is nested deep": header_is(lambda header: b"[" * 100_000),
    "a header that is not UTF-8": header_is(lambda header: b'{"\xff": 1}'),
    "an entry that is a number": header_is(lambda header: header | {"x": 7}),
    "offsets behind the end": first_tensor(data_offsets=[0, 1 << 40]),
    "offsets backwards": first_tensor(data_offsets=[8, 0]),
    "offsets that are texts": first_tensor(data_offsets=["0", "8"]),
    "three offsets": first_tensor(data_offsets=[0, 8, 16]),
    "a negative shape": first_tensor(shape=[-1, 4]),
    "a shape of many EiB": first_tensor(shape=[1 << 40, 1 << 40]),
    "a shape of nothing": first_tensor(shape=[0]),
    "a type that there is not": first_tensor(dtype="NOPE"),
    "a type of another width": first_tensor(dtype="F64"),
    "a hole where a tensor was": header_is(without_first),
    "a tensor under another name": header_is(renamed_first),
    "nothing but NaN": values_are(b"\xff"),
    "nothing but infinity": values_are(b"\0\0\x80\x7f"),
    "a configuration that is cut": holds("config.json", b"{"),
    "a configuration that is a list": holds("config.json", b"[]"),
    "a configuration that is nested deep": holds("config.json", b"[" * 100_000),
    "a model type that there is not": config(model_type="nope"),
    "a model type that is a number": config(model_type=5),
    "an architecture that is a number": config(architectures=[5]),
    "an architecture that answers nothing": config(architectures=["LlamaModel"]),
    "a width that is a text": config(hidden_size="x"),
    "a width of nothing": config(hidden_size=0),
    "a width of a thousand million": config(hidden_size=10**9),
    "ten million layers": config(num_hidden_layers=10**7),
    "fewer than no layers": config(num_hidden_layers=-1),
    "one layer too many": config(num_hidden_layers=2),
    "a vocabulary of a million million": config(vocab_size=10**12),
    "more heads than width": config(num_attention_heads=7),
    "a tokenizer that is cut": holds("tokenizer.json", b"{"),
    "a tokenizer of nothing": holds("tokenizer.json", b"{}"),
    "a tokenizer that is nested deep": holds("tokenizer.json", b"[" * 100_000),
    "settings of a tokenizer that are a list": holds("tokenizer_config.json", b"[]"),
    "settings of generation that are a list": holds("generation_config.json", b"[]"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_model_is_refused_with_a_code(asked, name):
    finished = asked(DAMAGED[name])
    assert (finished.code in (2, 3), finished.problems[0]["code"]) == (True, "bad-model"), finished.err
    assert not Path("runs/run").exists()


ADAPTERS = {
    "no bytes": bytes_are(lambda content: b""),
    "cut": bytes_are(lambda content: content[:100]),
    "a header that lies": header_is(dict, claims=1 << 40),
    "nothing but NaN": values_are(b"\xff"),
    "settings that are cut": holds("adapter_config.json", b"{"),
    "settings that are a list": holds("adapter_config.json", b"[]"),
    "settings that are nested deep": holds("adapter_config.json", b"[" * 100_000),
    "settings of nothing": holds("adapter_config.json", b"{}"),
    "a task that is a list": holds("adapter_config.json", b'{"task_type": []}'),
    "labels that are a number": holds("labels.json", b"7"),
    "labels that are cut": holds("labels.json", b"["),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_damaged_adapter_is_refused_with_a_code(asked, name):
    finished = asked(ADAPTERS[name], "adapter")
    assert (finished.code in (2, 3), finished.problems[0]["code"]) == (True, "bad-model"), finished.err


TEMPLATES = {
    "cut": ("{% for", "bad-model"),
    "an unknown tag": ("{% nope %}", "bad-model"),
    "an unknown name": ("{{ nope.nope }}", "bad-model"),
    "an unknown filter": ("{{ messages | nope }}", "bad-model"),
    "a division by zero": ("{{ 1 // 0 }}", "bad-model"),
    "a file of the machine": ("{% include '/etc/passwd' %}", "bad-model"),
    "a module": ("{% import 'os' as os %}", "bad-model"),
    "an attribute of a class": ("{{ ''.__class__ }}{{ ''.__class__.__mro__ }}", "unsafe-model"),
    "a call of a class": ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "unsafe-model"),
    "the globals of a function": ("{{ raise_exception.__globals__.x() }}", "unsafe-model"),
    "a loop in a loop": (LOOP, "unsafe-model"),
    "a loop over a turn of the model": ("{% if messages | length > 2 %}" + LOOP + "{% endif %}x", "unsafe-model"),
    "a range of a million million": ("{% for a in range(1000000000000) %}{% endfor %}", "unsafe-model"),
    "a macro that calls itself": ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "unsafe-model"),
    "a power of a power": ("{{ 9 ** 9999999 ** 3 }}", "unsafe-model"),
    "a constant of gigabytes": ("{{ 'a' * 3000000000 }}", "unsafe-model"),
    "a text of gigabytes": ("{{ messages[0].content * 3000000000 }}", "unsafe-model"),
    "a text that doubles": (
        "{% set n = namespace(x='aa') %}{% for a in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
        "unsafe-model",
    ),
    "an output of 100 million characters": (
        "{% for i in range(99999) %}{{ '" + "a" * 1000 + "' }}{% endfor %}",
        "unsafe-model",
    ),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_hostile_chat_template_is_refused_with_a_code(asked, name):
    source, code = TEMPLATES[name]
    finished = asked(holds("chat_template.jinja", source.encode()))
    assert (finished.code, finished.problems[0]["code"]) == (2, code), finished.err
    assert "the chat template cannot be used" in finished.problems[0]["message"]


LATE = {
    "a loop over what an item asks": ("{% if 'peru' in messages[0].content %}" + LOOP + "{% endif %}x", "seconds"),
    "a text of gigabytes over what it asks": (
        "{% if 'peru' in messages[0].content %}{{ messages[0].content * 300000000 }}{% endif %}x",
        "1024 MiB",
    ),
    "a refusal": ("{{ raise_exception('no system message') }}", "no system message"),
    "an empty prompt": (" ", "no tokens"),
}


@pytest.mark.parametrize("name", LATE)
def test_a_template_that_fails_over_an_item_is_the_items_failure(asked, name):
    source, said = LATE[name]
    finished = asked(holds("chat_template.jinja", source.encode()))
    assert finished.code == 4, finished.err
    assert said in json.loads(Path("runs/run/predictions.jsonl").read_text())["error"]


def test_settings_that_fail_while_answering_are_the_items_failure(asked):
    finished = asked(holds("generation_config.json", b'{"eos_token_id": "x"}'))
    assert finished.code == 4, finished.err
    assert "ValueError" in json.loads(Path("runs/run/predictions.jsonl").read_text())["error"]


def test_chats_that_take_too_long_are_given_up_after_a_few(monkeypatch):
    monkeypatch.setattr(chat_templates, "SECONDS", 0.05)
    monkeypatch.setattr(chat_templates, "MOST_GIVEN_UP", 2)
    template = chat_templates.ChatTemplate(chat_templates.sandboxed(LOOP))
    said = []
    for _ in range(4):
        with pytest.raises(chat_templates.TemplateError) as caught:
            template.render([{"role": "user", "content": "a"}])
        said.append(str(caught.value))
    assert ["times" in text for text in said] == [False, False, True, True]


def gguf(keys=(), tensors=(), *, counts=None, tail=b""):
    """A GGUF file of these keys and tensors."""

    def text(value):
        return struct.pack("<Q", len(value)) + value

    head = b"GGUF" + struct.pack("<IQQ", 3, *(counts or (len(tensors), len(keys))))
    listed = b"".join(text(name) + struct.pack("<I", kind) + value for name, kind, value in keys)
    placed = b"".join(
        text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset) for name, shape, offset in tensors
    )
    return head + listed + placed + tail


def said(value):
    return struct.pack("<Q", len(value)) + value


LLAMA = (b"general.architecture", 8, said(b"llama"))
FILES = {
    "no bytes": b"",
    "another kind of file": b"PK\3\4" + b"\0" * 100,
    "cut in its head": b"GGUF\3\0",
    "2^63 keys": gguf(counts=(0, 1 << 63)),
    "2^63 tensors": gguf(counts=(1 << 63, 0)),
    "a key of 2^62 bytes": gguf(counts=(0, 1), tail=struct.pack("<Q", 1 << 62)),
    "a key that is not UTF-8": gguf([(b"\xff", 4, b"\0" * 4)]),
    "a value of an unknown type": gguf([(b"a", 99, b"")]),
    "a list of 2^63 numbers": gguf([(b"a", 9, struct.pack("<IQ", 10, 1 << 63))]),
    "a list of 2^27 texts": gguf([(b"a", 9, struct.pack("<IQ", 8, 1 << 27))]),
    "lists in lists in lists": gguf([(b"a", 9, struct.pack("<IQ", 9, 1) * 5000)]),
    "a tensor of a thousand million dimensions": gguf(
        counts=(1, 0), tail=said(b"t") + struct.pack("<I", 10**9) + b"\0" * 64
    ),
    "a tensor behind the end": gguf(tensors=[(b"t", (4,), 1 << 40)]),
    "no architecture": gguf(),
    "an architecture that there is not": gguf([(b"general.architecture", 8, said(b"nope"))]),
    "an architecture without its settings": gguf([LLAMA]),
    "a thousand million layers": gguf([LLAMA, (b"llama.block_count", 4, struct.pack("<I", 10**9))]),
}


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_gguf_file_is_refused_with_a_code(steelyard, name):
    Path("model.gguf").write_bytes(FILES[name])
    given = ("--dataset", "items.jsonl", "--answer-type", "text", "--model", "gguf:model.gguf")
    finished = steelyard("eval", *given, "--json", items__jsonl=ITEM)
    assert (finished.code, finished.problems[0]["code"]) == (3, "bad-model"), finished.err


def test_a_hostile_template_in_a_gguf_file_is_refused_before_llama_cpp_has_it(steelyard):
    Path("model.gguf").write_bytes(gguf([LLAMA, (b"tokenizer.chat_template", 8, said(LOOP.encode()))]))
    given = ("--dataset", "items.jsonl", "--answer-type", "text", "--model", "gguf:model.gguf")
    finished = steelyard("eval", *given, "--json", items__jsonl=ITEM)
    assert (finished.code, finished.problems[0]["code"]) == (2, "unsafe-model"), finished.err
