"""Everything that numba compiles: the same numbers as the item forms, for thousands of rows in one call.

The rule: any text may take a slower exact path, none may give another number. Loops over bytes stand in `loops`, which
is the only place that imports numba, and it is imported only when there is nothing compiled yet.
"""
