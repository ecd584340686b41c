"""`text@v1`: sentences, keywords, and scripts."""

import pytest

from steelyard.records.answers import Text
from steelyard.scoring.text_answer import missing_keywords, text_answer


@pytest.mark.parametrize(
    ("predicted", "expected", "sentence"),
    [
        (Text("sales are up"), Text("sales went up"), "Expected 'sales went up', found 'sales are up' (rouge1 0.667)."),
        (Text(" "), Text("x"), "Expected 'x', found no text (rouge1 0.000)."),
        (
            Text("a"),
            Text("a b", keywords=("b", "c", "d", "e")),
            "Expected 'a b', found 'a' (rouge1 0.667); missing keywords 'b', 'c', 'd' and 1 more.",
        ),
    ],
)
def test_its_sentence_says_what_was_expected_and_found(predicted, expected, sentence):
    assert text_answer(predicted, expected).explain == sentence


@pytest.mark.parametrize(
    ("text", "keywords", "missing"),
    [
        ("Analysts support it, 营收增长", ("up", "营收"), ["up"]),
        ("Net income rose.", ("net income", "income net"), ["income net"]),
        ("日本銀行は利上げ", ("利上げ", "利下げ"), ["利下げ"]),
        ("", ("x",), ["x"]),
        ("x", (), []),
    ],
)
def test_keywords_are_whole_tokens_in_a_row(text, keywords, missing):
    assert missing_keywords(text, keywords, "basic") == missing


@pytest.mark.parametrize(
    "text", ["营收同比增长12.5%", "売上高は増加した", "매출이 증가했다", "Выручка выросла", "ยอดขายเพิ่มขึ้น"]
)
def test_a_right_answer_in_any_script_scores_1(text):
    assert text_answer(Text(text), Text(text)).primary == 1.0


@pytest.mark.parametrize(
    ("near", "far"), [("营收增长了", "天气很好"), ("売上高は増えた", "天気がいい"), ("매출이 늘었다", "날씨 좋음")]
)
def test_a_nearer_answer_in_cjk_scores_higher(near, far):
    expected = Text({"营": "营收增长", "売": "売上高は増加した", "매": "매출이 증가했다"}[near[0]])
    assert text_answer(Text(near), expected).primary > text_answer(Text(far), expected).primary
