"""Who owns a run directory, and whether a run that was begun is still under way.

The lock ends with the process, however it ends. Where the owner is another machine the lock may not be seen from here,
so it writes a heartbeat too: an owner elsewhere that has been silent for a minute is dead.
"""

from __future__ import annotations

import fcntl
import math
import os
import platform
import threading
import time
from pathlib import Path
from typing import Literal, TypeAlias

from steelyard.errors import MachineError, Problem
from steelyard.records.runs import OWNER_FILE, RunStatus

Standing: TypeAlias = Literal["completed", "decided", "over_budget", "running", "crashed"]
"""How a run stands: `crashed` where its process ended before every item had a state."""

SILENCE = 60.0
"""Seconds after which an owner on another machine is dead."""
_BEAT = 15.0


class Owner:
    """The lock on a run directory, and its heartbeat."""

    def __init__(self, path: Path) -> None:
        """Lock the run for this process, or raise naming who owns it."""
        self._file = path / OWNER_FILE
        self._stream = _locked(self._file)
        self._stopped = threading.Event()
        self._beat()
        # A daemon: it must not keep a process alive that has nothing else to do.
        self._thread = threading.Thread(target=self._beating, daemon=True, name="steelyard-heartbeat")
        self._thread.start()

    def release(self) -> None:
        """Give up ownership."""
        self._file.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """Let go of the lock and leave the file."""
        self._stopped.set()
        self._thread.join()
        os.close(self._stream)

    def _beating(self) -> None:
        while not self._stopped.wait(_BEAT):
            self._beat()

    def _beat(self) -> None:
        line = f"process {os.getpid()} on {platform.node()}\nheartbeat {time.time():.0f}\n".encode()
        try:
            os.pwrite(self._stream, line, 0)
            os.ftruncate(self._stream, len(line))
        except OSError:
            # A full disk stops the run where it writes its answers, with a message; the heartbeat is no place for one.
            return


def _locked(file: Path) -> int:
    stream = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(stream)
        message = f"the run is owned by {_owner(file) or 'another process'}"
        raise MachineError(Problem("machine", message, hint="wait for it", file=str(file))) from None
    if not file.exists() or os.fstat(stream).st_ino != file.stat().st_ino:
        # The owner before us removed the file between our opening and our locking it: what we hold is nobody's.
        os.close(stream)
        return _locked(file)
    return stream


def _said(file: Path) -> str:
    """Return what a run's owner says of itself; nothing where it has let go of the run since."""
    try:
        return file.read_text("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _owner(file: Path) -> str:
    """Return the process and the host that a run's owner names."""
    return _said(file).partition("\n")[0].strip()


def standing(path: Path, status: RunStatus) -> Standing:
    """Return how a run with this status stands today."""
    match status:
        case "completed" | "decided" | "over_budget":
            return status
        case "running":
            return "running" if _is_owned(path / OWNER_FILE) else "crashed"
        case "failed" | "interrupted":
            return "crashed"


def _is_owned(file: Path) -> bool:
    """Return whether the process that owns a run is alive, as far as can be seen from here."""
    try:
        stream = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(stream)
    host = _owner(file).rpartition(" on ")[2]
    return bool(host) and host != platform.node() and time.time() - _last_beat(file) <= SILENCE


def _last_beat(file: Path) -> float:
    """Return when the owner was last heard of; one that writes no heartbeat is known by the file's own time."""
    for line in _said(file).splitlines():
        word, _, value = line.partition(" ")
        if word == "heartbeat" and value.isascii() and value.isdigit():
            return float(value)
    return file.stat().st_mtime if file.exists() else -math.inf
