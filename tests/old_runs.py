"""Folders that earlier versions wrote, as `tools/write_old_runs.py` makes them: copied to where a test can use them."""

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path

KEPT = Path(__file__).parent / "fixtures" / "old"
WRITTEN_AT = "/tmp/steelyard-old"
"""Where every version wrote its folder; runs name their data by whole paths."""
VERSIONS = sorted(path.name for path in KEPT.iterdir() if path.is_dir())


def unpack(version: str, folder: Path) -> Path:
    """Copy what a version wrote to a folder, as if it had been written there."""
    shutil.copytree(KEPT / version, folder, dirs_exist_ok=True)
    for config in folder.glob("runs/**/config.yaml"):
        _move(config, folder)
    with sqlite3.connect(folder / "runs" / ".steelyard" / "index.sqlite") as index:
        for (table,) in index.execute(
            "SELECT name FROM sqlite_master WHERE sql LIKE '%root%' AND type = 'table'"
        ).fetchall():
            index.execute(f"UPDATE {table} SET root = replace(root, ?, ?)", (WRITTEN_AT, str(folder)))
    index.close()
    return folder


def _move(config: Path, folder: Path) -> None:
    """Write the folder's own path into a configuration, and the hash that it then has."""
    content = config.read_bytes().replace(WRITTEN_AT.encode(), str(folder).encode())
    config.write_bytes(content)
    file = config.parent / "hashes.json"
    if file.is_file():
        hashes = json.loads(file.read_bytes()) | {"config": _digest(content)}
        kept = [hashes[name] for name in ("config", "data", "environment")]
        hashes["reproducibility"] = _digest("\n".join(kept).encode())
        file.write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def kinds(version: str) -> list[str]:
    """Return the kinds of which a version wrote a first and a second run."""
    names = {path.name for path in (KEPT / version / "runs").iterdir()}
    return sorted(name[:-2] for name in names if name.endswith("-a") and f"{name[:-2]}-b" in names)
