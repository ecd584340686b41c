"""Gate policies: page 30's example loads as written, and what cannot be meant is refused when it is loaded."""

import pytest

from steelyard.configuration.policy import default_policy, parse_policy, task_policy
from steelyard.errors import ConfigurationError
from steelyard.reading.yaml_file import parse_yaml
from steelyard.records.gates import ItemsRule, MetricRule, SkippedRule

PAGE_30 = """
gates:
  - {metric: answer_correctness, min: 0.80}
  - {metric: f1, max_drop: 0.02}                       # absolute, against the baseline
  - {metric: f1, max_drop_relative: 0.05}
  - {metric: mae, max_rise: 0.5}                       # lower is better, declared by the metric
  - {metric: f1, slice: {difficulty: hard}, max_drop: 0.05, min_n: 20}
  - {metric: f1, slice_each: source, max_drop: 0.03, min_n: 20}
  - {metric: f1, no_significant_drop: 0.05}            # paired test at that level, Holm over the policy
  - {metric: f1, non_inferior: 0.02}                   # the interval's lower end stays above -0.02
  - {metric: f1, max_drop_relative: 0.10, when_baseline_below: 0.20}
  - {metric: f1, max_drop: 0.01, level: advisory}      # reported, does not block
  - {skipped: {max_rate: 0.01}}
  - {items: [eval-v2-007], must: pass}
"""


def policy(text: str):
    return parse_policy(parse_yaml(text, file="gates.yaml"), file="gates.yaml")


def test_the_policy_of_page_30_loads_as_written():
    rules = policy(PAGE_30).rules
    assert len(rules) == 12
    assert rules[0] == MetricRule(metric="answer_correctness", limit="min", value=0.8)
    assert rules[4].slice == (("difficulty", "hard"),)
    assert (rules[5].slice_each, rules[5].min_n) == ("source", 20)
    assert rules[8].when_baseline_below == 0.20
    assert rules[9].level == "advisory"
    assert rules[10] == SkippedRule(max_rate=0.01)
    assert rules[11] == ItemsRule(items=("eval-v2-007",))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{metric: f1}", "exactly one limit"),
        ("{metric: f1, min: 0.5, max: 0.6}", "exactly one limit"),
        ("{metric: f1, max_dorp: 0.1}", "did you mean 'max_drop'"),
        ("{metric: f1, max_drop: .nan}", "finite"),
        ("{metric: f1, max_drop: -0.1}", "greater than or equal to 0"),
        ("{metric: f1, max_drop: '0.1'}", "valid number"),
        ("{metric: f1, min: 1.5}", "lies in"),
        ("{metric: f1, max_drop: 2}", "lies in"),
        ("{metric: f1, no_significant_drop: 1.5}", "less than 0.5"),
        ("{metric: f1, no_significant_drop: 0}", "greater than 0"),
        ("{metric: perplexity, max_drop: 0.5}", "use max_rise"),
        ("{metric: f1, max_rise: 0.5}", "use max_drop"),
        ("{metric: f1, min: 0.5, when_baseline_below: 0.2}", "against the baseline"),
        ("{metric: f1, min: 0.5, allow_noise: true}", "allow_noise goes with"),
        ("{metric: f1, max_drop: 0.1, correction: none}", "correction goes with"),
        ("{metric: f1, no_significant_drop: 0.1, correction: hlm}", "'holm' or 'none'"),
        ("{metric: f1, shown_drop: 2}", "lies in"),
        ("{metric: mae, max_rise: 0.1, unanswered: .inf}", "finite"),
        ("{skipped: {max_rate: 0.1}, unanswered: 1.0}", "goes with metric"),
        ("{metric: f1, max_drop: 0.1, slice: {a: b}, slice_each: c}", "give one"),
        ("{metric: '', min: 0}", "at least 1 character"),
        ("{metric: f1, min: 0, slice_each: ''}", "at least 1 character"),
        ("{metric: f1, no_significant_drop: 0.95}", "less than 0.5"),
        ("{required: qa}", "required: Input should be a list"),
        ("{allow: dataset}", "allow: Input should be a list"),
        ("{metric: f1, max_drop: 0.1, slice: {}}", "names no tag"),
        ("{metric: f1, max_drop: 0.1, min_n: 0}", "greater than or equal to 1"),
        ("{metric: f1, max_drop: 0.1, level: strict}", "'blocking' or 'advisory'"),
        ("{skipped: {}}", "exactly one of max_rate and max_new"),
        ("{skipped: {max_rate: 1.5}}", "less than or equal to 1"),
        ("{skipped: {max_rate: 0.1}, min_n: 5}", "goes with metric"),
        ("{items: [a]}", "must: pass"),
        ("{items: [], must: pass}", "at least one"),
        ("{min: 0.5}", "on a metric, on skipped or on items"),
    ],
)
def test_a_gate_that_cannot_be_meant_is_refused(entry: str, message: str):
    with pytest.raises(ConfigurationError, match=message) as refused:
        policy(f"gates:\n  - {entry}\n")
    assert refused.value.exit_code == 2


def test_a_policy_without_gates_is_refused():
    with pytest.raises(ConfigurationError, match="decides nothing"):
        policy("gates: []\n")


def test_allowances_stand_beside_the_gates_or_among_them():
    beside = policy("allow: [dataset]\ngates:\n  - {metric: f1, min: 0.5}\n")
    among = task_policy([{"metric": "f1", "min": 0.5}, {"allow": ["dataset"]}], file="task.yaml")
    assert beside.allow == among.allow == ("dataset",)
    assert beside.rules == among.rules


def test_an_unknown_allowance_is_refused():
    with pytest.raises(ConfigurationError, match="did you mean 'prompt_version'"):
        policy("allow: [promptversion]\ngates:\n  - {metric: f1, min: 0.5}\n")


def test_the_default_policy_is_that_of_seed_003_with_evidence_asked_for():
    drop, skipped = default_policy().rules
    assert (drop.metric, drop.limit, drop.value) == (None, "shown_drop", 0.02)
    assert skipped == SkippedRule(max_new=0)
