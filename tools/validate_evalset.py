#!/usr/bin/env python3
"""Check an eval set: `python tools/validate_evalset.py FILE [--min-items 50] [--quiet] [--json]`.

Seed 000's name for `steelyard validate`; it does the same and exits the same.
"""

import sys

from steelyard.cli.main import main

if __name__ == "__main__":
    sys.exit(main(["validate", *sys.argv[1:]]))
