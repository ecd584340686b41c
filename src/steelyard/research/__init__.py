"""Claims, evidence, manifests: what a research agent stored, judged against golden queries (seed 002).

Plain values come in, already parsed; judgements, counts and gates go out. Nothing here opens a file, and nothing
believes what an agent says about itself: a claim counts by its evidence, a step by its manifest.
"""
