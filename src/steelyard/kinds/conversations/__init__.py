"""The evaluation of conversations over numbers (page 40): its order and its steps."""
