"""A document knows where its keys stand."""

from steelyard.records.documents import Document


def test_a_document_is_a_mapping_that_keeps_its_places_when_it_is_changed():
    document = Document({"a": {"b": 1}}, {("a",): (1, 1), ("a", "b"): (2, 3)})
    document |= {"c": 2}
    assert document == {"a": {"b": 1}, "c": 2}
    assert [document.place_of(path) for path in (["a", "b"], ["a", "x"], ["c"], [])] == [(2, 3), (1, 1), None, None]
