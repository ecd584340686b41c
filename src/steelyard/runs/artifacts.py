"""The files of a run directory beside its items: results, hard examples, configuration, environment, hashes."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec
import numpy as np
import yaml

from steelyard import __version__
from steelyard.aggregate.classification import LARGEST_MATRIX, Confusion
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.reading.yaml_file import read_yaml
from steelyard.reading.yaml_words import literal
from steelyard.records.encoded import UNREADABLE
from steelyard.records.results import RESULTS_FORMAT
from steelyard.records.runs import (
    CONFIG_FILE,
    CONFUSION_FILE,
    ENVIRONMENT_FILE,
    HARD_EXAMPLES_FILE,
    HASHES_FILE,
    MANIFEST_FILE,
    RESULTS_FILE,
)
from steelyard.secrets import redacted
from steelyard.store.checking import read_object
from steelyard.store.files import json_bytes, json_line, write_bytes

if TYPE_CHECKING:
    from steelyard.aggregate.report import Report


def write_eval_files(
    path: Path, report: Report, signatures: Mapping[str, Any], extra: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Write what is derived from the items; return the results and the hard examples.

    Nothing here knows the time, the host or the run's name: the same items give the same bytes.
    """
    results: dict[str, Any] = {
        "format_version": RESULTS_FORMAT,
        "steelyard_version": __version__,
        "signatures": dict(signatures),
        **report.results(_by_name(signatures)),
        **extra,
    }
    hard = report.hard.entries()
    write_bytes(path / RESULTS_FILE, json_bytes(results))
    write_bytes(path / HARD_EXAMPLES_FILE, b"".join(json_line(entry) for entry in hard))
    if report.plan.classification:
        write_bytes(path / CONFUSION_FILE, json_bytes(_confusion(report.confusion.confusion(report.plan.choices))))
    return results, hard


def read_config(path: Path) -> dict[str, Any]:
    """Return the effective configuration of a run; one that cannot be read is damage to the run."""
    file = path / CONFIG_FILE
    try:
        return dict(read_yaml(file))
    except SteelyardError as error:
        message = f"{CONFIG_FILE} cannot be read: {error.problems[0].message}"
        hint = "bring the file back as it was, or evaluate again under another name"
        raise InputError(Problem("run-damaged", message, hint=hint, file=str(file))) from None


def _by_name(signatures: Mapping[str, Any]) -> dict[str, str]:
    """Return the signatures of scorers and metrics by the name that their mean is reported under."""
    listed = [*signatures.get("metrics", ()), *signatures.get("scorers", ())]
    return {signature.split("@", maxsplit=1)[0]: signature for signature in listed}


def _confusion(confusion: Confusion) -> dict[str, Any]:
    found: dict[str, Any] = {"labels": list(confusion.labels), "columns": list(confusion.columns)}
    if len(confusion.labels) <= LARGEST_MATRIX:
        return found | {"matrix": confusion.matrix.tolist()}
    return found | {"cells": np.stack((confusion.rows, confusion.places, confusion.counts), axis=1).tolist()}


def write_run_files(
    path: Path,
    *,
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    dataset: Mapping[str, Any],
    adapter: str | None = None,
) -> None:
    """Write what the run was made from and under: everything that `steelyard reproduce` holds against today."""
    environment = environment_facts()
    config_text = yaml.safe_dump(literal(redacted(dict(config))), sort_keys=False, allow_unicode=True)
    write_bytes(path / CONFIG_FILE, config_text.encode("utf-8", "backslashreplace"))
    write_bytes(path / ENVIRONMENT_FILE, json_bytes(environment))
    write_bytes(path / MANIFEST_FILE, json_bytes(manifest))
    hashes = {
        "config": digest(config_text.encode("utf-8", "backslashreplace")),
        "data": str(dataset.get("sha256", "")) or digest(json_bytes(manifest)),
        "environment": digest(json_bytes(reproducible(environment))),
    }
    hashes["reproducibility"] = digest("\n".join(hashes.values()).encode())
    if adapter is not None:
        hashes["adapter"] = adapter
    write_bytes(path / HASHES_FILE, json_bytes(hashes))


@cache
def _packages() -> dict[str, str]:
    """Return the version of every installed package; reading them all takes longer than a small evaluation."""
    named = dict(pair for entry in distributions() if (pair := _name_and_version(entry)))
    return dict(sorted(named.items(), key=lambda pair: pair[0].lower()))


def _name_and_version(entry: Distribution) -> tuple[str, str] | None:
    """Return what a package calls itself. Its headers are read here: the parser for mail takes ten times as long."""
    content = entry.read_text("METADATA") or entry.read_text("PKG-INFO") or ""
    headers = dict(line.split(": ", 1) for line in content.partition("\n\n")[0].splitlines() if ": " in line)
    return (headers["Name"].strip(), headers.get("Version", "").strip()) if "Name" in headers else None


def environment_facts() -> dict[str, Any]:
    """Return Python, platform and package versions."""
    return {
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "platform": platform.platform(),
        "machine": platform.machine(),
        "host": platform.node(),
        "steelyard": __version__,
        "packages": _packages(),
    }


class Reproducible(TypedDict):
    """The facts that two machines must share to count as the same environment."""

    python: str
    implementation: str
    machine: str
    steelyard: str
    packages: dict[str, str]


def read_environment(path: Path) -> Reproducible:
    """Return what a run says of the environment that it was made in."""
    file = path / ENVIRONMENT_FILE
    try:
        return msgspec.convert(read_object(file), Reproducible)
    except UNREADABLE as error:
        message, hint = f"{file.name} cannot be read: {error}", "bring the file back as it was"
        raise InputError(Problem("run-damaged", message, hint=hint, file=str(file))) from None


def reproducible(environment: Mapping[str, Any]) -> dict[str, Any]:
    """Return those facts of an environment that another must share with it."""
    return {name: environment[name] for name in ("python", "implementation", "machine", "steelyard", "packages")}


def digest(content: bytes) -> str:
    """Return `sha256:` and the digest in hexadecimal."""
    return "sha256:" + hashlib.sha256(content).hexdigest()
