"""Child processes that work and are killed, or find the disk full: at a moment, or at the n-th call that changes it."""

import errno
import importlib
import io
import os
import pathlib
import pkgutil
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
    # The time that an answer took is part of its item: a stated one is the same in every run.
    return {"prediction": item["answer"] if int(item.id[1:]) % 3 else "wrong", "latency_ms": 1.0}
"""


ROOMS = (
    "aggregate",
    "asking",
    "cli",
    "comparison",
    "conversations",
    "gates",
    "items",
    "judging",
    "kinds",
    "research",
    "runs",
    "scoring",
    "show",
    "stats",
    "tasks",
    "verdicts",
)
LIBRARIES = ("alembic.migration", "alembic.operations", "pandas", "pyarrow.parquet", "scipy.stats", "sqlalchemy")


def warm():
    """Import what commands import when they are asked, so that a thousand children need not."""
    for room in ROOMS:
        package = importlib.import_module(f"steelyard.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"steelyard.{room}."):
            importlib.import_module(found.name)
    for library in LIBRARIES:
        importlib.import_module(library)


def in_child(work, *, kill_after=None, said=os.devnull):
    """Run `work` in a forked child; kill it after so many seconds. Returns its exit code, or minus the signal.

    What it says is written to the file `said`.
    """
    pid = os.fork()
    if not pid:
        code = 70
        try:
            sys.stdout = sys.stderr = pathlib.Path(said).open("w")  # noqa: SIM115 - the child ends without closing it
            code = work()
            sys.stdout.flush()
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


def die():
    """End this process as `kill -9` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def no_room():
    """Fail as a write does on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


NEEDS_ROOM = frozenset(("write", "fsync", "make"))
"""What a full disk refuses; names are moved and files are cut and removed all the same."""


class Mines:
    """Counts what touches the disk, and does something at the n-th of these: `fault` is `die` or `no_room`.

    `torn` lets half of a write through first; `on` goes on with the fault at everything that comes after.
    """

    def __init__(self, at=None, *, torn=False, fault=die, on=False):
        self.at, self.torn, self.fault, self.on = at, torn, fault, on
        self.count = 0
        self.kinds = []

    def step(self, kind, half=None):
        self.count += 1
        self.kinds.append(kind)
        hit = self.count == self.at or (self.on and self.at is not None and self.count > self.at)
        if not hit or (self.fault is no_room and kind not in NEEDS_ROOM):
            return
        if self.torn and half is not None:
            half()
        self.fault()

    def lay(self):
        """Put a mine under every call of this process that changes the disk."""
        os.real_write, real_pwrite = os.write, os.pwrite
        mines, real_open, real_io_open = self, os.open, io.open

        def write(handle, data):
            mines.step("write", lambda: os.real_write(handle, bytes(data)[: len(data) // 2]))
            return os.real_write(handle, data)

        def pwrite(handle, data, offset):
            mines.step("write", lambda: real_pwrite(handle, bytes(data)[: len(data) // 2], offset))
            return real_pwrite(handle, data, offset)

        def opened(path, flags, *more, **named):
            if flags & os.O_CREAT and not os.path.lexists(path):
                mines.step("make")
            return real_open(path, flags, *more, **named)

        class Counted(io.FileIO):
            def write(self, data):
                mines.step("write", lambda: super(Counted, self).write(bytes(data)[: len(data) // 2]))
                return super().write(data)

        def io_open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, **named):
            # What has an opener of its own is a temporary file without a name: it outlives no process.
            if not {*mode} & {*"wax+"} or named.get("opener") is not None:
                return real_io_open(file, mode, buffering, encoding, errors, newline, **named)
            if not isinstance(file, int) and not os.path.lexists(file):
                mines.step("make")
            raw = Counted(file, mode.replace("b", "").replace("t", ""))
            if buffering == 0:
                return raw
            stream = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return stream if "b" in mode else io.TextIOWrapper(stream, encoding, errors, newline)

        def counted(kind, real):
            def call(*arguments, **named):
                mines.step(kind)
                return real(*arguments, **named)

            return call

        os.write, os.pwrite, os.open, io.open = write, pwrite, opened, io_open
        os.fdopen = lambda handle, mode="r", *more, **named: io_open(handle, mode, *more, **named)
        for kind, names in CALLS.items():
            for name in names:
                setattr(os, name, counted(kind, getattr(os, name)))


CALLS = {
    "fsync": ("fsync",),
    "truncate": ("ftruncate", "truncate"),
    "rename": ("replace", "rename", "link", "symlink"),
    "remove": ("unlink", "remove", "rmdir"),
    "make": ("mkdir",),
}
