"""The evaluation of research runs (page 50): its order and its steps."""
