"""Seed 002's command: `python scripts/eval.py --golden eval/golden_queries.json --outputs ./outputs`.

It is `steelyard research` with the same options.
"""

import sys

from steelyard.cli.main import main

if __name__ == "__main__":
    main(["research", *sys.argv[1:]])
