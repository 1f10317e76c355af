"""Who may do what at a server: a TOML file with a table for each token, which is read again when it changes."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from kg_neo4j.errors import UsageError
from kg_neo4j.rooms.rights.accounts import Spending, TokenBudget
from kg_neo4j.rooms.rights.audit import Record, begun

NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,59}"
_Name = Annotated[str, StringConstraints(pattern=f"^{NAME}$")]
_Graph = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_HASH = re.compile("sha256:[0-9a-f]{64}")


class _Table(BaseModel):
    """A part of the file; it has no other keys. What it holds is in no message: it may be a plain token."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class TokenRights(_Table):
    """What one token may do."""

    token: str  # its hash
    graphs: list[_Graph]  # names, where * is anything
    may: list[Literal["read", "write", "metrics"]] = Field(default=["read"])
    usd: float | None = Field(default=None, gt=0, allow_inf_nan=False)  # a day (UTC); None: no model is called

    @field_validator("token")
    @classmethod
    def _is_hash(cls, given: str) -> str:
        if not _HASH.fullmatch(given):
            raise ValueError("not a hash, and tokens may not be here: `kg serve --new-token NAME` makes both")
        return given

    @model_validator(mode="after")
    def _is_whole(self) -> TokenRights:
        if "read" not in self.may and ("write" in self.may or self.graphs):
            raise ValueError('a token with graphs, or that may "write", may "read"')
        return self


class RightsFile(_Table):
    """The file, read."""

    tokens: dict[_Name, TokenRights] = Field(min_length=1)
    audit: str | None = None  # as seen from the file
    audit_text: bool = False

    @model_validator(mode="after")
    def _is_whole(self) -> RightsFile:
        if len({each.token for each in self.tokens.values()}) < len(self.tokens):
            raise ValueError("two tokens have one hash")
        return self


def read_rights(path: Path) -> RightsFile:
    """Return the rights in a file. Raises UsageError, with the line, for what is none."""
    try:
        text = path.read_text(encoding="utf-8")
        return RightsFile.model_validate(tomllib.loads(text))
    except OSError as error:
        raise UsageError(
            f"cannot read the rights {path}: {error.strerror}", hint="kg serve --new-token NAME"
        ) from error
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(str(each) for each in first["loc"] if each != "[key]")
        why = f"{place}: " * bool(place) + first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{path}{_line_of(text, first['loc'])}: {why}", hint="docs/how-to/rights.md") from None
    except ValueError as error:  # no UTF-8, or no TOML: it names line and column
        raise UsageError(f"{path} is not a file of rights: {error}", hint="docs/how-to/rights.md") from None


def _line_of(text: str, place: Sequence[int | str]) -> str:
    """Return ", line N" of a key, else of the table of its token; of a key that is missing, too."""
    names, at = [re.escape(str(each)) for each in place if each != "[key]"], 0
    table, keys = (r"\s*\[\s*tokens\s*\.\s*[\"']?" + names[1], names[2:]) if names[1:] else ("", names)
    for number, line in enumerate(text.splitlines(), 1):
        if table and re.match(rf"{table}[\"'\s]*\]", line):
            at = number
        elif keys and bool(at) == bool(table) and re.match(rf"\s*{keys[0]}\b", line):
            return f", line {number}"
        elif at and line.lstrip().startswith("["):
            break
    return f", line {at}" if at else ""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a token, with what it may do."""

    name: str
    key: str = field(repr=False)  # its hash: another token of that name is another caller
    graphs: tuple[str, ...] = ()
    writes: bool = False
    counts: bool = False  # may see the counters of the server
    usd: float | None = None  # that its requests may cost a day
    _spending: Spending | None = field(default=None, repr=False, compare=False)

    def sees(self, graph: str) -> bool:
        """Return whether a graph exists for this token."""
        return any(_pattern(each).fullmatch(graph) for each in self.graphs)

    def budget(self) -> TokenBudget | None:
        """Return what pays for its requests; None where no model is called."""
        if self.usd is None or self._spending is None:
            return None
        return TokenBudget(self.name, self.usd, self._spending.books(self.name))


def _pattern(graphs: str) -> re.Pattern[str]:
    """Return what fits the names that a line of the file means; only * stands for others, so that a name is itself."""
    return re.compile(".*".join(map(re.escape, graphs.split("*"))), re.DOTALL)


def hash_of(token: str) -> str:
    """Return what the file holds of a token.

    One round without salt is enough: a token has 256 random bits, so no list of words or hashes has it, and each
    request is to be checked fast.
    """
    return f"sha256:{hashlib.sha256(token.encode('utf-8', 'replace')).hexdigest()}"


def new_token(name: str, graphs: Sequence[str]) -> tuple[str, str]:
    """Return a new token and the lines that let it in. Raises UsageError for a name that is none."""
    if not re.fullmatch(NAME, name):
        raise UsageError(f"not the name of a token: {name[:80]!r}", hint="letters, digits, - and _; at most 60")
    token = f"kg_{secrets.token_urlsafe(32)}"
    listed = ", ".join('"' + each.replace("\\", r"\\").replace('"', r"\"") + '"' for each in graphs)
    lines = f'[tokens.{name}]\ntoken = "{hash_of(token)}"\ngraphs = [{listed}]\nmay = ["read"]\n'
    return token, lines


class Tokens:
    """The tokens of a server. Many threads may ask; a file that has changed is read before the next answer."""

    def __init__(self, path: Path, home: Path, audit: Path | None = None) -> None:
        """Read the file. `home` keeps what was spent; `audit` goes before the one that the file names."""
        self._path, self._audit = path, audit
        self._spending, self._lock = Spending(home / "rights"), threading.Lock()
        self._stamp: object = None
        self._callers: dict[str, Caller] = {}
        self.callers()

    def callers(self) -> Mapping[str, Caller]:
        """Return the tokens by name. Raises UsageError for a file that is wrong: then no token opens anything."""
        with self._lock:
            try:
                found = self._path.stat()
                stamp = found.st_mtime_ns, found.st_size, found.st_ino
            except OSError:
                stamp = None
            if stamp is None or self._stamp != stamp:
                self._stamp = None  # a file that is wrong is read again by each request
                self._file = read_rights(self._path)
                self._callers = {name: self._made(name, each) for name, each in self._file.tokens.items()}
                self._stamp = stamp
            return self._callers

    def _made(self, name: str, given: TokenRights) -> Caller:
        write, counts = "write" in given.may, "metrics" in given.may
        return Caller(name, given.token, tuple(given.graphs), write, counts, given.usd, self._spending)

    def by_token(self, given: str) -> Caller | None:
        """Return whose token it is. Each hash is compared, in constant time."""
        key = hash_of(given)
        found = [each for each in self.callers().values() if hmac.compare_digest(key, each.key)]
        return found[0] if found else None

    def record(self, caller: Caller, path: str) -> Record | None:
        """Return the record of a request; None where no audit is asked for. Raises OSError where none can be kept."""
        file = self._audit or (self._path.parent / self._file.audit if self._file.audit else None)
        return begun(file, self._file.audit_text, caller.name, path) if file else None

    def close(self) -> None:
        """Let another server count what tokens spend."""
        self._spending.close()
