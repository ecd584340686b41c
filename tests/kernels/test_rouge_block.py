"""ROUGE of blocks against the item form, and against rouge-score itself."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from steelyard.kernels.overlap import rouge_block
from steelyard.records.blocks import TextColumn
from steelyard.text.rouge import pair_tokens, rouge, rouge_tokens

WORDS = st.sampled_from(
    ["the", "cat", "sat", "Mat", "on", "don't", "naïve", "ß", "Ωmega", "x1", "ｆｕｌｌ", "营收", "K", "İs"]
)
PROSE = st.lists(WORDS, max_size=90).map(" ".join)
HOSTILE = st.text(st.sampled_from("abA1 .-\x00\u0301\u212a\u0130营ｶﾞ가가㈱㍻😀\U00020000\ud800é"), max_size=80)
TEXT = st.one_of(PROSE, HOSTILE, st.text(max_size=30))
PAIRS = st.lists(st.one_of(st.tuples(TEXT, TEXT), TEXT.map(lambda text: (text, text))), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(PAIRS, st.booleans())
def test_a_block_has_the_measures_of_its_rows(pairs, together):
    predictions, references = zip(*pairs, strict=True)
    found = rouge_block(TextColumn.of(predictions), TextColumn.of(references), together=together)
    assert found.rouge1.tolist() == [rouge("rouge1", *pair, together=together).fmeasure for pair in pairs]
    assert found.rouge2.tolist() == [rouge("rouge2", *pair, together=together).fmeasure for pair in pairs]
    assert found.rouge_l.tolist() == [rouge("rougeL", *pair, together=together).fmeasure for pair in pairs]
    tokens = [pair_tokens(*pair) if together else [*map(rouge_tokens, pair)] for pair in pairs]
    assert found.nothing.tolist() == [not predicted and not expected for predicted, expected in tokens]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(*[st.lists(st.sampled_from("abcdefgh"), max_size=200).map(" ".join)] * 2), min_size=1, max_size=3
    )
)
def test_subsequences_over_several_words_of_bits_are_rouge_scores(pairs):
    predictions, references = zip(*pairs, strict=True)
    found = rouge_block(TextColumn.of(predictions), TextColumn.of(references))
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    wanted = [scorer.score(reference, prediction) for prediction, reference in pairs]
    assert found.rouge1.tolist() == [row["rouge1"].fmeasure for row in wanted]
    assert found.rouge2.tolist() == [row["rouge2"].fmeasure for row in wanted]
    assert found.rouge_l.tolist() == [row["rougeL"].fmeasure for row in wanted]


def test_every_character_of_the_basic_plane_separates_or_joins_as_in_the_item_form():
    characters = [chr(point) for point in [*range(0xD800), *range(0xE000, 0x10000), *range(0x1F000, 0x20000)]]
    texts = [f"ab{character}cd 营" if number % 2 else f"ab{character}cd" for number, character in enumerate(characters)]
    others = ["ab 1 k 2 a b c 3 cd"] * len(texts)
    found = rouge_block(TextColumn.of(texts), TextColumn.of(others), pairs=False)
    wanted = [rouge("rouge1", *pair).fmeasure for pair in zip(texts, others, strict=True)]
    assert found.rouge1.tolist() == wanted


def test_a_reference_of_very_many_tokens_takes_the_item_form():
    text, other = "a b " * 4_000, "a c b " * 3_000
    found = rouge_block(TextColumn.of([text, "a"]), TextColumn.of([other, "a"]))
    assert found.rouge_l.tolist() == [rouge("rougeL", text, other).fmeasure, 1.0]
