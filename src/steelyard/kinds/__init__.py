"""The kinds of runs, a folder each: what a run is made from, and how. Beside them the verbs and the collections."""
