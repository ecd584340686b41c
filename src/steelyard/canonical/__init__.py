"""Raw output to a typed answer: reasoning blocks, extraction, parsing. Never guesses."""
