"""Seed 003's metric names: each is a number that a registered scorer gives."""

import pytest

from steelyard.errors import ConfigurationError
from steelyard.registry import bind_scorer
from steelyard.scoring.seed_names import PRIMARY_METRICS, SEED_METRICS, is_part, primary_parameters


def test_all_of_the_seeds_names_are_there():
    assert set(SEED_METRICS) == {
        "exact_match", "numeric_error", "list_overlap", "reference_rouge", "reasoning_consistency",
        "claim_evidence_overlap", "reasoning_step_order", "claim_verifiability",
    }  # fmt: skip


@pytest.mark.parametrize("entry", SEED_METRICS.values(), ids=SEED_METRICS)
def test_each_name_means_a_scorer_of_its_type(entry):
    assert bind_scorer(entry.scorer).definition.answer_type == entry.answer_type
    assert (entry.part is None) == (entry.answer_type != "reasoning")


@pytest.mark.parametrize("answer_type", PRIMARY_METRICS)
def test_every_primary_metric_of_a_profile_binds(answer_type):
    scorer = {"choice": "choice", "number": "number", "list": "list", "text": "text", "reasoning": "reasoning"}[
        answer_type
    ]
    for name in PRIMARY_METRICS[answer_type]:
        bind_scorer(scorer, primary_parameters(answer_type, name))


def test_an_unknown_primary_metric_is_refused_with_those_there_are():
    with pytest.raises(ConfigurationError, match="there are within_tol, within_tolerance"):
        primary_parameters("number", "f1")


def test_a_sub_score_and_its_seed_name_are_parts():
    parts = bind_scorer("number@v1").definition.sub_scores
    assert is_part("mae", "number", parts)
    assert is_part("numeric_error", "number", parts)
    assert not is_part("reference_rouge", "number", parts)
