"""Rows of a dataset and of predictions to items: by columns where a row is plain, row by row where it is odd.

The rule: a line that the scan does not wholly understand is `odd`, and the strict reader of single lines reads it. So
the scan may refuse, but it never accepts what the strict reader would not, and never reads it differently.
"""
