"""JSONL as columns: blocks of lines whose rows have a plain shape are read without making a Python object per row.

The rule: a line that the scan does not wholly understand is `odd`, and the strict reader of single lines reads it. So
the scan may refuse, but it never accepts what the strict reader would not, and never reads it differently.
"""
