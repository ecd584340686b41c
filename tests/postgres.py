"""A PostgreSQL server that the tests start for themselves, in a folder of their own."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PLACES = ["/usr/lib/postgresql/*/bin", "/usr/local/bin", "/usr/bin"]


def _binaries() -> Path | None:
    """Where initdb and pg_ctl are; Debian keeps them off the path."""
    found = [path.parent for place in PLACES for path in Path("/").glob(f"{place[1:]}/initdb")]
    found += [Path(path).parent for path in [shutil.which("initdb")] if path]
    return next((folder for folder in found if (folder / "pg_ctl").exists()), None)


def _account() -> dict[str, int]:
    """PostgreSQL refuses to run as root; as root we run it as nobody."""
    return {} if os.getuid() else {"user": 65534, "group": 65534}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory) -> Iterator[str]:
    """The URL of a server without a database name."""
    binaries = _binaries()
    if binaries is None:
        reason = "PostgreSQL is not installed: `apt install postgresql`"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    # Not below pytest's own folder, which only its owner may enter.
    folder = Path(subprocess.check_output(["mktemp", "-d", "-t", "steelyard-postgres-XXXXXX"], text=True).strip())
    account = _account()
    if account:
        os.chown(folder, account["user"], account["group"])
    port = _free_port()
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300"
    start = [binaries / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start"]
    try:
        subprocess.run(
            [binaries / "initdb", "-D", folder / "data", "-U", "tester", "-A", "trust", "--no-sync"],
            check=True, capture_output=True, cwd=folder, **account,
        )  # fmt: skip
        subprocess.run(start, check=True, stdout=subprocess.DEVNULL, cwd=folder, **account)
        yield f"postgresql://tester@127.0.0.1:{port}"
    finally:
        stop = [binaries / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"]
        subprocess.run(stop, check=False, capture_output=True, cwd=folder, **account)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_database(postgres_server: str, request) -> str:
    """The URL of a fresh database."""
    import psycopg

    name = f"d{abs(hash(request.node.nodeid)) % 10**12}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres_server}/{name}"
