"""The one room that knows the order: read, canonicalise, score, aggregate, store, compare, gate."""
