"""The tables of the run index, as the newest migration leaves them. A test holds the two equal."""

from __future__ import annotations

from sqlalchemy import Column, Float, Index, Integer, MetaData, PrimaryKeyConstraint, Table, Text

metadata = MetaData()

runs = Table(
    "runs",
    metadata,
    Column("root", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("model", Text),
    Column("dataset", Text),
    Column("prompt_version", Text),
    Column("scorer_version", Text),
    Column("primary_metric", Text),
    Column("primary_score", Float),
    Column("n_items", Integer),
    Column("n_skipped", Integer),
    Column("flags", Text, nullable=False),
    Column("host", Text),
    Column("created_at", Text, nullable=False),
    Column("completed_at", Text),
    Column("stamp", Text, nullable=False),
    PrimaryKeyConstraint("root", "path", name="runs_key"),
    Index("runs_by_time", "root", "created_at", "run_id"),
    Index("runs_by_grain", "task", "model", "prompt_version", "scorer_version"),
)

scores = Table(
    "scores",
    metadata,
    Column("root", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("value", Float),
    PrimaryKeyConstraint("root", "path", "metric", name="scores_key"),
)

baselines = Table(
    "baselines",
    metadata,
    Column("root", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("set_at", Text, nullable=False),
    PrimaryKeyConstraint("root", "name", name="baselines_key"),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("root", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("run", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("baseline", Text),
    Column("policy", Text, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("line", Text, nullable=False),
    Column("decided_at", Text, nullable=False),
    PrimaryKeyConstraint("root", "place", name="verdicts_key"),
)
