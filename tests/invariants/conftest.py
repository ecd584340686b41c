"""Assertions of the verbs tell what they compared."""

import pytest

pytest.register_assert_rewrite("ways.repetitions", "ways.verbs", "ways.verdicts", "ways.views")
