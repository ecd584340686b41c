"""Runs a command and prints its exit code, CPU seconds and peak kilobytes: `launch.py OUTPUT COMMAND …`.

A new process begins with the peak memory of the one that it was forked from, so a benchmark that has grown must not
start what it measures itself. This process is small.
"""

import json
import os
import subprocess
import sys

with open(sys.argv[1], "wb") as stream:  # noqa: PTH123 - pathlib would make this process larger
    process = subprocess.Popen(sys.argv[2:], stdout=stream, stderr=subprocess.STDOUT)
    _, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(json.dumps([process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
