"""Pure functions of written quantities: the number grammar, units, and the ladder of numeric matches."""
