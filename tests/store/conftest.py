"""What tests of the store share: a real PostgreSQL."""

from tests.postgres import postgres_database, postgres_server

__all__ = ["postgres_database", "postgres_server"]
