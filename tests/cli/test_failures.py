"""Whatever a command raises becomes a message and an exit code; no path leads from an error to 0."""

import errno
import json
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import click
import pytest

from steelyard.cli.failures import Stopped, reported, stoppable
from steelyard.cli.main import main
from steelyard.errors import ConfigurationError, IncompleteError, InputError, MachineError, Problem
from steelyard.secrets import forget_secrets, remember_secret

PROBLEM = Problem("bad-json", "found x", hint="fix it", file="a.jsonl", line=2)


@pytest.fixture(autouse=True)
def _crash_reports_stay_here(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def report(error: BaseException, capsys, *, json_wanted: bool = False) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exited, reported(json_wanted=json_wanted):
        raise error
    captured = capsys.readouterr()
    assert isinstance(exited.value.code, int)
    return exited.value.code, captured.out, captured.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigurationError(PROBLEM), 2),
        (InputError(PROBLEM), 3),
        (IncompleteError(PROBLEM), 4),
        (MachineError(PROBLEM), 5),
        (click.UsageError("no such option"), 2),
        (click.exceptions.Exit(3), 3),
        (KeyboardInterrupt(), 130),
        (Stopped(signal.SIGTERM), 143),
        (click.Abort(), 130),
        (OSError(errno.ENOSPC, "No space left on device", "runs/a"), 5),
        (PermissionError(errno.EACCES, "Permission denied", "runs"), 5),
        (MemoryError(), 5),
        (ZeroDivisionError("oops"), 70),
        (RecursionError(), 70),
    ],
)
def test_every_error_has_its_exit_code_and_no_traceback(error, code, capsys):
    found, out, err = report(error, capsys)
    assert (found, out, "Traceback" in err) == (code, "", False)


def test_an_error_is_told_on_standard_error_and_with_json_on_standard_output_too(capsys):
    _, out, err = report(InputError(PROBLEM), capsys, json_wanted=True)
    assert err == "steelyard: a.jsonl:2: [bad-json] found x\n    hint: fix it\n"
    assert json.loads(out) == {"error": "InputError", "exit_code": 3, "problems": [PROBLEM.as_dict()], "total": 1}


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (click.UsageError("x"), "usage", "UsageError"),
        (KeyboardInterrupt(), "interrupted", "Interrupted"),
        (OSError(errno.EROFS, "Read-only file system"), "machine", "MachineError"),
        (ZeroDivisionError(), "internal", "InternalError"),
    ],
)
def test_every_error_has_the_same_shape_as_json(error, code, name, capsys):
    found, out, _ = report(error, capsys, json_wanted=True)
    content = json.loads(out)
    assert (content["error"], content["exit_code"], content["total"]) == (name, found, 1)
    assert list(content["problems"][0]) == ["code", "message", "hint", "file", "line", "column", "item_id"]
    assert content["problems"][0]["code"] == code


def test_a_crash_report_holds_the_traceback_and_no_secret(capsys):
    remember_secret("hunter2hunter2")
    try:
        _, _, err = report(ZeroDivisionError("with hunter2hunter2"), capsys)
    finally:
        forget_secrets()
    path = Path(err.split("crash report is in ")[1].split("\n")[0])
    text = path.read_text(encoding="utf-8")
    path.unlink()
    assert "ZeroDivisionError: with [redacted]" in text


def test_a_secret_in_a_message_is_redacted_in_both_outputs(capsys):
    remember_secret("hunter2hunter2")
    try:
        _, out, err = report(InputError(Problem("bad-json", "hunter2hunter2")), capsys, json_wanted=True)
    finally:
        forget_secrets()
    assert "hunter2" not in out + err


def test_a_warning_is_one_escaped_line(capsys):
    with reported(json_wanted=False):
        warnings.warn("careful\x1b[31m", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: careful\\x1b[31m\n"


def test_the_first_signal_stops_and_the_handlers_come_back():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped) as stopped, stoppable():
        signal.raise_signal(signal.SIGTERM)
    assert (stopped.value.exit_code, signal.getsignal(signal.SIGTERM)) == (143, before)


def test_signals_are_left_alone_outside_the_main_thread():
    def enter() -> None:
        with stoppable():
            seen.append(signal.getsignal(signal.SIGTERM))

    seen: list[object] = []
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


SLEEPER = """
import time
from steelyard.cli.failures import reported, stoppable
with reported(json_wanted=False), stoppable():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        print("cleaning", flush=True)
        time.sleep({seconds})
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_process_that_is_stopped_cleans_up_and_says_so(number, code):
    command = [sys.executable, "-c", SLEEPER.format(seconds=0)]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (code, "cleaning\n")
    assert err == "steelyard: [interrupted] stopped by a signal\n    hint: run the same command again\n"


def test_a_command_that_is_stopped_exits_by_its_signal(monkeypatch, capsys):
    monkeypatch.setattr("steelyard.cli.names.scorers", lambda: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit) as exited:
        main(["scorers"])
    assert (exited.value.code, "[interrupted]" in capsys.readouterr().err) == (143, True)


def test_a_second_signal_ends_the_process_at_once():
    with subprocess.Popen([sys.executable, "-c", SLEEPER.format(seconds=60)], stdout=-1, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "cleaning\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == -signal.SIGTERM


def test_a_reader_that_leaves_early_is_no_error_of_ours():
    command = f"{sys.executable} -m steelyard scorers --json | true"
    finished = subprocess.run(
        ["bash", "-c", command + "; echo ${PIPESTATUS[0]}"], capture_output=True, text=True, check=True
    )
    assert finished.stdout == "141\n"
    assert finished.stderr == ""
