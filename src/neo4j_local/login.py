"""The first words with a server: its password, its versions, whether GDS answers, and whether its database is open."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neo4j_local import disk
from neo4j_local.configuration import HOST
from neo4j_local.errors import AuthenticationFailed, DatabaseUnavailable, GdsMissing, LocalDatabaseError
from neo4j_local.state import Home

if TYPE_CHECKING:
    import neo4j

USERNAME = "neo4j"

_DEFAULT_PASSWORD = "neo4j"  # noqa: S105 - what a fresh store has; it may only be used to set another
_UNKNOWN_FUNCTION = "Neo.ClientError.Statement.SyntaxError"
_PANICKED = "Neo.DatabaseError.Transaction.TransactionStartFailed"


@dataclass(frozen=True, slots=True)
class Condition:
    """What the server says of the database that holds the graphs."""

    status: str  # Neo4j's word: "online", "offline", "starting", ...
    reason: str  # Neo4j's own account of what failed; "" where nothing did


def password(home: Home) -> str:
    """Return the password of this home, generated when it is asked for the first time."""
    if not home.password_file.exists():
        disk.write_whole(home.password_file, f"{secrets.token_urlsafe(24)}\n".encode(), mode=0o600)
    try:
        return home.password_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise LocalDatabaseError(
            f"cannot read {home.password_file}: {error}", hint="write the password of the user neo4j into that file"
        ) from error


def versions(home: Home, bolt_port: int) -> tuple[str, str]:
    """Log in and return the versions of Neo4j and GDS; a fresh store gets its password first.

    Raises AuthenticationFailed, GdsMissing, or DatabaseUnavailable where queries are not served (yet).
    """
    import neo4j

    uri, secret = f"bolt://{HOST}:{bolt_port}", password(home)
    try:
        try:
            return _ask(uri, secret)
        except neo4j.exceptions.AuthError as error:
            if _set_password(uri, secret):
                return _ask(uri, secret)
            raise AuthenticationFailed(
                f"the local database refused the password in {home.password_file}",
                hint="it was changed elsewhere: write the new one into that file",
            ) from error
    except (neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.TransientError) as error:
        raise DatabaseUnavailable(f"{uri} does not serve queries: {error}", hint="see `kg db logs`") from error


def condition(home: Home, bolt_port: int) -> Condition | None:
    """Return what the server says of its database; None where it cannot be asked."""
    import neo4j

    try:
        with _driver(f"bolt://{HOST}:{bolt_port}", password(home)) as driver:
            found = driver.execute_query(
                "SHOW DATABASES YIELD name, currentStatus, statusMessage WHERE name <> 'system' "
                "RETURN currentStatus AS status, statusMessage AS reason",
                database_="system",
            ).records
    except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError):
        return None
    return Condition(found[0]["status"], found[0]["reason"] or "") if found else None


def panicked(home: Home, bolt_port: int) -> bool:
    """Say whether the server answers but opens no transaction any more, as after a full disk.

    False where it does not answer: then nothing is known.
    """
    import neo4j

    try:
        with _driver(f"bolt://{HOST}:{bolt_port}", password(home)) as driver:
            driver.execute_query("RETURN 1")
    except neo4j.exceptions.Neo4jError as error:
        return error.code == _PANICKED
    except neo4j.exceptions.DriverError:
        return False
    return False


def _ask(uri: str, secret: str) -> tuple[str, str]:
    import neo4j

    with _driver(uri, secret) as driver:
        components = driver.execute_query("CALL dbms.components() YIELD name, versions RETURN name, versions")
        kernel = next(record["versions"][0] for record in components.records if record["name"] == "Neo4j Kernel")
        try:
            gds = driver.execute_query("RETURN gds.version() AS version").records[0]["version"]
        except neo4j.exceptions.ClientError as error:
            if error.code != _UNKNOWN_FUNCTION:
                raise
            raise GdsMissing("the local Neo4j runs without its GDS plugin", hint="see `kg db logs`") from error
    return str(kernel), str(gds)


def _set_password(uri: str, secret: str) -> bool:
    """Replace the default password; False where the default one does not hold either."""
    import neo4j

    try:
        with _driver(uri, _DEFAULT_PASSWORD) as driver:
            driver.execute_query(
                "ALTER CURRENT USER SET PASSWORD FROM $old TO $new",
                old=_DEFAULT_PASSWORD,
                new=secret,
                database_="system",
            )
    except neo4j.exceptions.AuthError:
        return False
    return True


def _driver(uri: str, secret: str) -> neo4j.Driver:
    import neo4j

    # no retries: whoever waits for the server asks again, and looks in between whether it still lives
    options: dict[str, Any] = {"connection_timeout": 5.0, "max_transaction_retry_time": 0.0, "user_agent": "kg-neo4j"}
    return neo4j.GraphDatabase.driver(uri, auth=(USERNAME, secret), notifications_min_severity="OFF", **options)
