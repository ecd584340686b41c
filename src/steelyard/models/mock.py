"""`mock`: a dry run. It asks nobody and answers nothing, so that no score can be mistaken for a model's."""

from __future__ import annotations

from steelyard.models.protocol import BaseModel
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest

MOCK_REASON = "dry run: the mock model gives no answers"


class MockModel(BaseModel):
    """A model that is none."""

    def __init__(self) -> None:
        super().__init__(ModelIdentity(spec="mock", kind="mock", name="mock"))

    def generate(self, request: ModelRequest) -> ModelReply:
        """Give no answer."""
        del request
        return ModelReply(state="failed", error=MOCK_REASON)
