"""Files to rows, strictly, with line numbers. Nothing is guessed and nothing is dropped in silence."""
