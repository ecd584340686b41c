"""Transformers models of a few thousand parameters, made on the spot with fixed weights; one torch thread."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, models, pre_tokenizers

from steelyard.extras import between_libraries

torch.set_num_threads(1)

TEXT = (
    "what is the capital of peru france kenya italy lima paris nairobi rome answer : ? . one two three four red green "
    "blue good bad film a was and very great awful boring fun plus minus equals user system assistant yes no"
)
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]
CHAT_TEMPLATE = "{% for m in messages %}{{ m.role }} : {{ m.content }} {% endfor %}assistant :"


def make_tokenizer(folder, *, chat=False):
    """A tokenizer of whole words."""
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys([*SPECIAL, *TEXT.split()]))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )
    if chat:
        fast.chat_template = CHAT_TEMPLATE
    fast.save_pretrained(folder)
    return fast


def _common(tokenizer):
    ids = {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    return {"vocab_size": len(tokenizer), **ids}


def make_causal(folder, *, seed=0, chat=False, window=64):
    """A one-layer Llama."""
    tokenizer = make_tokenizer(folder, chat=chat)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=window,
        initializer_range=0.2,
        **_common(tokenizer),
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def make_seq2seq(folder, *, seed=0):
    """A one-layer T5."""
    tokenizer = make_tokenizer(folder)
    torch.manual_seed(seed)
    common = _common(tokenizer) | {"decoder_start_token_id": tokenizer.pad_token_id}
    config = transformers.T5Config(
        d_model=16, d_kv=8, d_ff=32, num_layers=1, num_decoder_layers=1, num_heads=2, initializer_factor=5.0, **common
    )
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def make_classifier(folder, *, labels=("negative", "positive"), seed=0):
    """A one-layer BERT with a head for labels."""
    tokenizer = make_tokenizer(folder)
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=64,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        **_common(tokenizer),
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


TARGETS = {"causal": ["q_proj", "v_proj"], "seq2seq": ["q", "v"], "classification": ["query", "value"]}
AUTOMATIC = {
    "causal": transformers.AutoModelForCausalLM,
    "seq2seq": transformers.AutoModelForSeq2SeqLM,
    "classification": transformers.AutoModelForSequenceClassification,
}


def make_adapter(folder, base, kind, *, effect=True, seed=1):
    """A LoRA adapter with random weights, or with the zeros of one that was never trained."""
    torch.manual_seed(seed)
    model = AUTOMATIC[kind].from_pretrained(base)
    with between_libraries():
        wrapped = get_peft_model(model, LoraConfig(r=2, lora_alpha=8, target_modules=TARGETS[kind]))
    if effect:
        for name, weights in wrapped.named_parameters():
            if "lora_B" in name:
                torch.nn.init.normal_(weights, std=0.5)
    wrapped.save_pretrained(folder)
    return wrapped.eval()
