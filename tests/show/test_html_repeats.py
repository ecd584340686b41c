"""The section on repeats in an HTML report says what its intervals are."""

from steelyard.show.html_report import repeats_section


def test_level_and_method_stand_once_below_the_metrics_over_repeats():
    entry = {"value": 0.5, "ci_low": 0.2, "ci_high": 0.8, "level": 0.95, "method": "some-method", "signature": "s"}
    report = {"repeats": 3, "flip_rate": 0.1, "n_flaky": 1, "over_repeats": {"pass@1": entry, "majority": entry}}
    section = repeats_section(report)
    assert section.count("95 % sure (some-method)") == 1
