"""Items with predictions to judged blocks, by the item forms of their scorers."""
