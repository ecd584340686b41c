"""Child processes that evaluate and are killed: at a moment, or at the n-th write, fsync, rename or truncation."""

import io
import os
import pathlib
import signal
import sys
import time

MODEL = """
import os, time
DELAY = float(os.environ.get("ANSWER_SECONDS", "0.002"))
def answer(item):
    handle = os.open("asked.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    getattr(os, "real_write", os.write)(handle, (item.id + "\\n").encode())
    os.close(handle)
    time.sleep(DELAY)
    return item["answer"] if int(item.id[1:]) % 3 else "wrong"
"""


def in_child(work, *, kill_after=None):
    """Run `work` in a forked child; kill it after so many seconds. Returns its exit code, or minus the signal."""
    pid = os.fork()
    if not pid:
        code = 70
        try:
            sys.stdout = sys.stderr = pathlib.Path(os.devnull).open("w")  # noqa: SIM115 - the child ends without closing it
            code = work()
        finally:
            os._exit(code)
    if kill_after is not None:
        ends_at = time.monotonic() + kill_after
        while time.monotonic() < ends_at:
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.001)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Mines:
    """Counts what touches the disk, and kills this process at the n-th of these; `torn` does half of a write first."""

    def __init__(self, at=None, *, torn=False):
        self.at = at
        self.torn = torn
        self.count = 0
        self.kinds = []

    def step(self, kind, half=None):
        self.count += 1
        self.kinds.append(kind)
        if self.count == self.at:
            if self.torn and half is not None:
                half()
            os.kill(os.getpid(), signal.SIGKILL)

    def lay(self):
        """Put a mine under every call of this process that changes the disk."""
        real_write, real_fsync, real_ftruncate = os.write, os.fsync, os.ftruncate
        real_replace, real_rename = pathlib.Path.replace, pathlib.Path.rename
        mines = self
        os.real_write = real_write

        def write(handle, data):
            mines.step("write", lambda: real_write(handle, bytes(data)[: len(data) // 2]))
            return real_write(handle, data)

        def counted(kind, real):
            def call(*arguments):
                mines.step(kind)
                return real(*arguments)

            return call

        class Counted(io.BufferedRandom):
            def write(self, data):
                mines.step("write", lambda: (super(Counted, self).write(bytes(data)[: len(data) // 2]), self.flush()))
                return super().write(data)

        os.write, os.fsync, os.ftruncate = write, counted("fsync", real_fsync), counted("truncate", real_ftruncate)
        pathlib.Path.replace, pathlib.Path.rename = counted("rename", real_replace), counted("rename", real_rename)
        real_fdopen = os.fdopen

        def fdopen(handle, mode="r", *more, **named):
            counted = "w" in mode and "b" in mode
            return Counted(io.FileIO(handle, "w+b")) if counted else real_fdopen(handle, mode, *more, **named)

        os.fdopen = fdopen
