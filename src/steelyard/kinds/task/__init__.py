"""The evaluation of a task: the order, and everything that evaluates again."""
