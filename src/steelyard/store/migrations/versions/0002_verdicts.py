"""Gate verdicts beside the runs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "verdicts",
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("run", "task", "policy", "verdict", "line", "decided_at")
        ),
        sa.Column("baseline", sa.Text),
        sa.PrimaryKeyConstraint("root", "place", name="verdicts_key"),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("verdicts")
