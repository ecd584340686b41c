"""The HTML report of a run: self-contained, escaped, the same bytes every time, and legible on two screens."""

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from steelyard.aggregate.report import Report
from steelyard.records.blocks import Labels
from steelyard.show.html_report import report_html
from tests.made_blocks import plan, scored_block

RUN = {
    "task": "demo <task>",
    "run_id": "01-secret-id",
    "name": "monday",
    "created_at": "2026-11-18T10:00:00Z",
    "host": "laptop",
    "model": {"name": "small-model"},
    "dataset": {"path": "/somewhere/else/data.jsonl", "sha256": "sha256:" + "ab" * 32},
    "scorer_version": "choice@v1",
}
HOSTILE = '</p><script>alert(1)</script><img src=x onerror="alert(2)">\x1b[31m\u202eevil'
CHROMIUM = Path("/usr/bin/chromium")


def results_and_hard(**given):
    generator = np.random.default_rng(0)
    size = 300
    truth = generator.choice(["against", "favor", "none"], size)
    right = generator.random(size) < 0.7
    guess = np.where(right, truth, generator.choice(["against", "favor", "none"], size))
    scores = (truth == guess) * 1.0
    report = Report(
        plan(
            metrics=("f1", "mae"),
            directions={"f1": "higher", "mae": "lower"},
            classification=("accuracy", "macro_f1", "f1_per_class", "support", "confusion_matrix"),
            slice_by=(("source",), ("source", "level")),
            rules=("short",),
            hard_examples=20,
            unavailable={"perplexity": "needs a model"},
        )
    )
    report.kinds["mae"] = "amount"
    columns = {
        "tags": {
            "source": generator.choice(["human", "synthetic", HOSTILE], size).tolist(),
            "level": generator.choice(["easy", "hard"], size).tolist(),
        },
        "states": ["scored"] * 280 + ["missing"] * 20,
        "error_tags": [() if score else ("wrong_choice",) for score in scores],
        "classes": (truth.tolist(), guess.tolist()),
        "scores": {"f1": generator.random(size), "mae": generator.random(size), "rule.short": right * 1.0},
        "outputs": [HOSTILE] * size,
        "inputs": [HOSTILE] * size,
    }
    report.update(scored_block(scores, **(columns | given)))
    return report.results(), report.hard.entries()


class Reader(HTMLParser):
    """Collects the tags and the attributes of a page, and checks that tags close in order."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.open = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page():
    return report_html(RUN, *results_and_hard())


def test_every_tag_closes_and_nothing_is_run_or_fetched(page):
    reader = Reader(page)
    assert reader.open == []
    assert not {"script", "img", "link", "iframe", "object", "embed"} & set(reader.tags)
    assert not any(name.startswith("on") or name in {"src", "href"} for name, _ in reader.attributes)
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_foreign_text_is_shown_and_never_obeyed(page):
    assert "<script>" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\\x1b[31m\\u202eevil" in page


def test_nothing_tells_two_runs_over_the_same_items_apart(page):
    again = report_html(RUN | {"run_id": "02", "name": "tuesday", "created_at": "later"}, *results_and_hard())
    assert again == page
    for said in ("01-secret-id", "monday", "2026-11-18", "laptop", "/somewhere/else"):
        assert said not in page


@pytest.mark.parametrize(
    "expected",
    [
        "demo &lt;task&gt;",
        "data.jsonl",
        "small-model",
        "Confusion matrix",
        "Format rules",
        "Error tags",
        "lower is better",
        "perplexity: needs a model",
        "source=human &amp; level=hard",
        "missing 20",
        "Hard examples",
    ],
)
def test_the_page_shows(page, expected):
    assert expected in page


def test_every_attribution_section_carries_the_notice(page):
    sections = dict(re.findall(r"<h2>([^<]+)</h2>(.*?)</section>", page, flags=re.DOTALL))
    assert "They do not prove causation" in sections["Slices"]
    hard = sections["Hard examples"]
    assert "<li>" not in hard or "They do not prove causation" in hard


def test_weak_slices_carry_the_notice():
    scores = [0.0] * 60 + [1.0] * 240
    report = Report(plan())
    report.update(scored_block(scores, tags={"kind": ["bad"] * 80 + ["good"] * 220}))
    page = report_html(RUN, report.results(), report.hard.entries())
    section = re.search(r"<h2>Weak slices</h2>(.*?)</section>", page, flags=re.DOTALL)
    assert section is not None
    assert "kind=bad" in section[1]
    assert "They do not prove causation" in section[1]


def test_a_report_without_slices_or_classes_leaves_their_sections_out():
    report = Report(plan(hard_examples=0))
    report.update(scored_block([1.0, 0.0]))
    page = report_html(RUN, report.results(), [])
    assert "<h2>Slices</h2>" not in page
    assert "<h2>Confusion matrix</h2>" not in page
    assert "<h2>Metrics</h2>" in page


def test_a_missing_output_is_said_to_be_none():
    report = Report(plan())
    report.update(scored_block([0.0], outputs=[None], predicted=[None], states=["missing"]))
    assert "no output" in report_html(RUN, report.results(), report.hard.entries())


def test_a_very_long_output_is_cut_and_says_so():
    report = Report(plan())
    report.update(scored_block([0.0], outputs=["x" * 100_000]))
    page = report_html(RUN, report.results(), report.hard.entries())
    assert "and 96,000 more characters" in page
    assert len(page) < 40_000


@pytest.fixture(scope="module")
def browser():
    if not CHROMIUM.exists():
        message = "chromium is not installed: the report was not looked at"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
    flags += ["--disable-component-update", "--disable-sync", "--no-first-run"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        yield chromium
        chromium.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_the_page_fits_the_screen_and_breaks_no_policy(browser, page, tmp_path, width, scheme):
    file = tmp_path / "report.html"
    file.write_text(page, "utf-8")
    said = []
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    tab.on("console", lambda message: said.append(message.text))
    tab.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
    tab.goto(file.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert _contrast(tab) >= 4.5
    assert said == []
    tab.close()


def _contrast(tab):
    """Return the contrast of text on a card, by the formula of WCAG 2."""
    colours = tab.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.querySelector('section')).backgroundColor]"
    )
    light, dark = sorted((_luminance(colour) for colour in colours), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour):
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_labels_are_kept_as_written():
    results, hard = results_and_hard(classes=(["<b>"] * 300, ["<b>"] * 300))
    assert "&lt;b&gt;" in report_html(RUN, results, hard)
    assert Labels.of(["<b>"]).names == ["<b>"]


def test_an_error_is_not_drawn_on_a_line_from_0_to_1_even_where_it_lies_there(page):
    plots = dict(re.findall(r'<div class="name">(f1|mae)</div><div class="plot">(.*?)</div><div class="value">', page))
    assert "dot" in plots["f1"]
    assert plots["mae"] == ""
