"""Names that are taken: told apart whatever their case, over more names than are kept apart."""

from steelyard.kinds.conversations.files import TakenNames


def test_a_name_is_free_once():
    names = TakenNames()
    assert [names.take(name) for name in ("a", "b", "A", "b")] == [True, True, False, False]


def test_names_are_known_after_thousands_of_others():
    names = TakenNames()
    assert all(names.take(f"trace-{number}") for number in range(20_000))
    assert not any(names.take(f"Trace-{number}") for number in range(0, 20_000, 7))
    assert names.take("trace-20000")
