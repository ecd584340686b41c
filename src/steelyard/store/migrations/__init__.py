"""Migrations of the run index by alembic: numbered files in `versions`, applied once, recorded in `alembic_version`."""
