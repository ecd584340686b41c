"""Makes what the training tutorial needs: a base model of a few thousand parameters, and three versions of a dataset.

The base is a Llama of one layer with random weights; its tokenizer knows the words of the data and no others.
"""

import json
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers

CAPITALS = {"Peru": "Lima", "France": "Paris", "Kenya": "Nairobi", "Italy": "Rome"}
SPECIAL = {"pad_token": "<pad>", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
SUMS = {"1 + 1": "2", "1 + 2": "3", "2 + 2": "4", "4 - 1": "3"}


def rows(questions: dict[str, str], source: str) -> list[dict[str, object]]:
    """Return training rows as seed 001 writes them."""
    return [
        {"instruction": f"What is {asked} ?", "input": "", "output": f"{answer} .", "tags": {"source": source}}
        for asked, answer in questions.items()
    ]


HUMAN = rows({f"the capital of {land}": city for land, city in CAPITALS.items()}, "human")
SYNTHETIC = rows(SUMS, "synthetic")


def write(path: Path, content: list[dict[str, object]]) -> None:
    """Write rows as JSONL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")


def make_data(folder: Path) -> None:
    """Write three versions: little human data, more of it, and synthetic data beside it."""
    versions = {
        "v1": (HUMAN * 2, HUMAN),
        "v2": (HUMAN * 6, HUMAN),
        "v3": (HUMAN * 6 + SYNTHETIC * 6, HUMAN + SYNTHETIC),
    }
    for name, (train, test) in versions.items():
        write(folder / name / "train.jsonl", train)
        write(folder / name / "test.jsonl", test)
    write(folder / "gold_eval.jsonl", HUMAN)


def make_base(folder: Path) -> None:
    """Save a model with its tokenizer, weights as safetensors."""
    words = [word for row in HUMAN + SYNTHETIC for word in f"{row['instruction']} {row['output']}".split()]
    names = dict.fromkeys([*SPECIAL.values(), *words])
    numbers = {word: number for number, word in enumerate(names)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token=SPECIAL["unk_token"]))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **SPECIAL)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(names),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        initializer_range=0.2,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
    )
    transformers.utils.logging.disable_progress_bar()
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    fast.save_pretrained(folder)


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    make_data(here / "data")
    make_base(here / "tiny")
    print("made tiny/ and data/")
