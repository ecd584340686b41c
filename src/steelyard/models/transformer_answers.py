"""How transformers models answer: causal and seq2seq generate, classification chooses a label.

Generation runs in batches. A loss is computed one item at a time, so that it never depends on the batch's padding.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from steelyard.models.chat_templates import ChatTemplate, TemplateError
from steelyard.models.opening import ModelOptions
from steelyard.models.protocol import BaseModel, elapsed_ms, failure
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest

UNBOUNDED = 1 << 30


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model with its tokenizer and the libraries that run it."""

    torch: Any
    transformers: Any
    model: Any
    tokenizer: Any
    device: str
    kind: Literal["causal", "seq2seq", "classification"]
    template: ChatTemplate | None = None
    """The tokenizer's chat template, where it has one."""


class TransformerModel(BaseModel):
    """What the three kinds share: batches, token counts and windows."""

    def __init__(self, loaded: Loaded, identity: ModelIdentity, options: ModelOptions) -> None:
        super().__init__(identity, at_a_time=options.batch_size)
        self.loaded = loaded
        self.options = options
        self._window = _window(loaded)

    def generate(self, request: ModelRequest) -> ModelReply:
        """Answer one request."""
        return self.answer([request])[0]

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Answer in batches."""
        stream = iter(requests)
        while batch := list(islice(stream, self.at_a_time)):
            yield from zip(batch, self.answer(batch), strict=True)

    def answer(self, batch: Sequence[ModelRequest]) -> list[ModelReply]:
        """Answer a batch; a prompt beyond the window is that item's failure."""
        prompts = [self._prompt(request) for request in batch]
        replies = [found if isinstance(found, ModelReply) else self._unfit(len(found)) for found in prompts]
        fitting = {
            index: tokens
            for index, tokens in enumerate(prompts)
            if not isinstance(tokens, ModelReply) and 0 < len(tokens) < self._window
        }
        if fitting:
            found = self._computed([batch[index] for index in fitting], list(fitting.values()))
            for index, reply in zip(fitting, found, strict=True):
                replies[index] = reply
        return replies

    def _prompt(self, request: ModelRequest) -> list[int] | ModelReply:
        """Return the tokens of a prompt; where template or tokenizer cannot make any, that is the item's failure."""
        try:
            return self.prompt_tokens(request)
        except TemplateError as error:
            return ModelReply(state="failed", error=f"the chat template: {error}")
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - a tokenizer is data that came with a model
            return ModelReply(**failure(error))

    def _computed(self, batch: Sequence[ModelRequest], prompts: Sequence[list[int]]) -> list[ModelReply]:
        """Answer a batch; where that fails, each item alone, and then it is the item's failure."""
        try:
            return self._answer(batch, prompts)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - weights and configuration are data that came with a model
            if len(batch) == 1:
                return [ModelReply(**failure(error))]
            alone = zip(batch, prompts, strict=True)
            return [self._computed([request], [prompt])[0] for request, prompt in alone]

    def close(self) -> None:
        """End the process of the chat template."""
        if self.loaded.template is not None:
            self.loaded.template.close()

    def _unfit(self, length: int) -> ModelReply:
        reason = f"the prompt has {length} tokens, and the model's window is {self._window}"
        return ModelReply(state="failed", error=reason if length else "the prompt has no tokens", prompt_tokens=length)

    def _answer(self, batch: Sequence[ModelRequest], prompts: Sequence[list[int]]) -> list[ModelReply]:
        raise NotImplementedError

    def prompt_tokens(self, request: ModelRequest) -> list[int]:
        """Return the tokens of a prompt; the chat template is applied where the model has one."""
        tokenizer = self.loaded.tokenizer
        if self.loaded.template is not None:
            messages = [{"role": message.role, "content": message.content} for message in request.messages]
            text = self.loaded.template.render(messages)
            return list(tokenizer(text, add_special_tokens=False)["input_ids"])
        return list(tokenizer(request.prompt)["input_ids"])

    def reference_tokens(self, request: ModelRequest) -> list[int]:
        """Return the tokens of the reference, without special ones."""
        if not self.options.losses or not request.reference:
            return []
        return list(self.loaded.tokenizer(request.reference, add_special_tokens=False)["input_ids"])

    def tensor(self, rows: Sequence[Sequence[int]] | Sequence[int]) -> Any:
        """Return whole numbers as a tensor on the model's device."""
        return self.loaded.torch.tensor(rows, device=self.loaded.device)

    def padded(self, rows: Sequence[list[int]]) -> dict[str, Any]:
        """Return rows of tokens as one block, padded on the left, with the mask that says what is padding."""
        width = max(map(len, rows))
        pad = self.pad_token
        return {
            "input_ids": self.tensor([[pad] * (width - len(row)) + row for row in rows]),
            "attention_mask": self.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows]),
        }

    @property
    def pad_token(self) -> int:
        """The token that fills a row; what it is does not matter, since it is masked."""
        tokenizer = self.loaded.tokenizer
        found = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id
        return int(found or 0)


class CausalModel(TransformerModel):
    """A model that continues its prompt."""

    def _answer(self, batch: Sequence[ModelRequest], prompts: Sequence[list[int]]) -> list[ModelReply]:
        generation = batch[0].generation
        if generation.temperature > 0 and len(batch) > 1:
            # A seed belongs to an item: drawn together, an answer would depend on its neighbours.
            alone = zip(batch, prompts, strict=True)
            return [reply for request, prompt in alone for reply in self._answer([request], [prompt])]
        started = time.perf_counter()
        rows = self._generated(batch[0], prompts)
        latency = round(elapsed_ms(started) / len(batch), 3)
        return [
            self._reply(request, prompt, row, latency)
            for request, prompt, row in zip(batch, prompts, rows, strict=True)
        ]

    def _generated(self, request: ModelRequest, prompts: Sequence[list[int]]) -> list[list[int]]:
        torch, model = self.loaded.torch, self.loaded.model
        inputs = self.padded(prompts)
        width, settings = self._prompt_width(inputs), self._configuration(request, prompts)
        torch.manual_seed(request.generation.seed)
        with torch.no_grad():
            found = model.generate(**inputs, generation_config=settings, **self._stops(request, width))
        return [row[width:].tolist() for row in found]

    def _prompt_width(self, inputs: dict[str, Any]) -> int:
        return int(inputs["input_ids"].shape[1])

    def _configuration(self, request: ModelRequest, prompts: Sequence[list[int]]) -> Any:
        generation, known = request.generation, self.loaded.model.generation_config
        sampling: dict[str, Any] = {"do_sample": False}
        if generation.temperature > 0:
            sampling = {"do_sample": True, "temperature": generation.temperature, "top_p": generation.top_p}
        room = self._window - max(map(len, prompts))
        return self.loaded.transformers.GenerationConfig(
            max_new_tokens=min(generation.max_new_tokens, room),
            pad_token_id=self.pad_token,
            eos_token_id=self._ends(),
            bos_token_id=known.bos_token_id,
            decoder_start_token_id=known.decoder_start_token_id,
            **sampling,
        )

    def _stops(self, request: ModelRequest, width: int) -> dict[str, Any]:
        """Return what ends a row at its stop texts. The library's own rule fails on tokenizers of whole words."""
        stops, loaded = request.generation.stop, self.loaded

        def stopped(tokens: Any, scores: Any, **_: Any) -> Any:
            del scores
            texts = loaded.tokenizer.batch_decode(tokens[:, width:], skip_special_tokens=True)
            return loaded.torch.tensor([_cut_at(text, stops)[1] for text in texts], device=loaded.device)

        return {"stopping_criteria": [stopped]} if stops else {}

    def _ends(self) -> list[int] | None:
        known = self.loaded.model.generation_config.eos_token_id
        found = known if known is not None else self.loaded.tokenizer.eos_token_id
        if found is None:
            return None
        return list(found) if isinstance(found, list | tuple) else [int(found)]

    def _reply(self, request: ModelRequest, prompt: list[int], row: list[int], latency: float) -> ModelReply:
        tokens, ended = self._until_end(row)
        text = self.loaded.tokenizer.decode(tokens, skip_special_tokens=True)
        text, stopped = _cut_at(text, request.generation.stop)
        loss, n_tokens = self.loss(request, prompt)
        finished = ended or stopped
        return ModelReply(
            output=text,
            finish_reason="stop" if finished else "length",
            truncated=not finished,
            prompt_tokens=len(prompt),
            completion_tokens=len(tokens),
            latency_ms=latency,
            loss=loss,
            n_tokens=n_tokens,
        )

    def _until_end(self, row: list[int]) -> tuple[list[int], bool]:
        """Return the generated tokens up to and with the one that ends them; what follows is padding."""
        ends = self._ends() or []
        for index, token in enumerate(row):
            if token in ends:
                return row[: index + 1], True
        return row, False

    def loss(self, request: ModelRequest, prompt: list[int]) -> tuple[float | None, int | None]:
        """Return the mean cross-entropy over the reference's tokens after the prompt, and how many there are."""
        tokens = self.reference_tokens(request)
        if not tokens or len(prompt) + len(tokens) > self._window:
            return None, None
        torch = self.loaded.torch
        with torch.no_grad():
            logits = self.loaded.model(input_ids=self.tensor([prompt + tokens])).logits
        return self._cross_entropy(logits[0, len(prompt) - 1 : -1], tokens), len(tokens)

    def _cross_entropy(self, logits: Any, tokens: list[int]) -> float:
        functional = self.loaded.torch.nn.functional
        return float(functional.cross_entropy(logits.double(), self.tensor(tokens)))


class Seq2SeqModel(CausalModel):
    """A model that reads its prompt with an encoder and answers with a decoder."""

    def _prompt_width(self, inputs: dict[str, Any]) -> int:
        del inputs
        return 1

    def loss(self, request: ModelRequest, prompt: list[int]) -> tuple[float | None, int | None]:
        """Return the mean cross-entropy over the reference's tokens, and how many there are."""
        tokens = self.reference_tokens(request)
        if not tokens:
            return None, None
        start = self.loaded.model.generation_config.decoder_start_token_id
        begun = [self.pad_token if start is None else int(start), *tokens[:-1]]
        with self.loaded.torch.no_grad():
            found = self.loaded.model(input_ids=self.tensor([prompt]), decoder_input_ids=self.tensor([begun]))
        return self._cross_entropy(found.logits[0], tokens), len(tokens)


class ClassificationModel(TransformerModel):
    """A model that gives every label a probability; its answer is the likeliest one."""

    def _answer(self, batch: Sequence[ModelRequest], prompts: Sequence[list[int]]) -> list[ModelReply]:
        started = time.perf_counter()
        torch, model = self.loaded.torch, self.loaded.model
        # Rows of different lengths go in alone: some architectures read the last token, wherever padding puts it.
        with torch.no_grad():
            rows = [model(input_ids=self.tensor([prompt])).logits[0] for prompt in prompts]
        latency = round(elapsed_ms(started) / len(batch), 3)
        return [self._reply(len(prompt), row, latency) for prompt, row in zip(prompts, rows, strict=True)]

    def _reply(self, prompt_tokens: int, logits: Any, latency: float) -> ModelReply:
        labels = self.loaded.model.config.id2label
        shares = self.loaded.torch.softmax(logits.double(), dim=-1).tolist()
        probabilities = {str(labels[index]): share for index, share in enumerate(shares)}
        best = max(range(len(shares)), key=shares.__getitem__)
        return ModelReply(
            output=str(labels[best]),
            finish_reason="stop",
            prompt_tokens=prompt_tokens,
            completion_tokens=0,
            latency_ms=latency,
            confidence=shares[best],
            probabilities=probabilities,
        )


ANSWERING: dict[str, type[TransformerModel]] = {
    "causal": CausalModel,
    "seq2seq": Seq2SeqModel,
    "classification": ClassificationModel,
}


def _cut_at(text: str, stops: Sequence[str]) -> tuple[str, bool]:
    places = [place for stop in stops if (place := text.find(stop)) >= 0]
    return (text[: min(places)], True) if places else (text, False)


def _window(loaded: Loaded) -> int:
    config = loaded.model.config.get_text_config()
    for name in ("max_position_embeddings", "n_positions"):
        found = getattr(config, name, None)
        if isinstance(found, int) and found > 0:
            return found
    return UNBOUNDED
