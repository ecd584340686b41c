"""Runs, their scores and baselines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_RUN_TEXTS = ("model", "dataset", "prompt_version", "scorer_version", "primary_metric", "host", "completed_at")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "runs",
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("root", "path", "run_id", "name", "status", "task", "flags", "created_at", "stamp")
        ),
        *(sa.Column(name, sa.Text) for name in _RUN_TEXTS),
        sa.Column("primary_score", sa.Float),
        sa.Column("n_items", sa.Integer),
        sa.Column("n_skipped", sa.Integer),
        sa.PrimaryKeyConstraint("root", "path", name="runs_key"),
    )
    op.create_index("runs_by_time", "runs", ["root", "created_at", "run_id"])
    op.create_index("runs_by_grain", "runs", ["task", "model", "prompt_version", "scorer_version"])
    op.create_table(
        "scores",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("root", "path", "metric")),
        sa.Column("value", sa.Float),
        sa.PrimaryKeyConstraint("root", "path", "metric", name="scores_key"),
    )
    op.create_table(
        "baselines",
        *(sa.Column(name, sa.Text, nullable=False) for name in ("root", "name", "path", "run_id", "set_at")),
        sa.PrimaryKeyConstraint("root", "name", name="baselines_key"),
    )


def downgrade() -> None:
    """Drop the tables."""
    for name in ("baselines", "scores", "runs"):
        op.drop_table(name)
