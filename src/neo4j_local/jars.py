"""The locks, which name the jars of a server of each line of Neo4j with their checksums; and fetching these jars.

A jar enters its folder by one rename after it was verified, so a broken download is resumed jar by jar and a half
file never counts.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from neo4j_local import disk
from neo4j_local.errors import ChecksumMismatch, FetchFailed
from neo4j_local.progress import Progress

Download = Callable[["Jar", Path], Path]  # fetches one jar into an empty folder and returns the file

THREADS = 6  # with sixteen, name resolution began to fail where we measured
ATTEMPTS = 5
FIRST_WAIT_S = 0.5  # doubled after each attempt, with as much at random on top
STAGE = "fetch Neo4j"

_STAGING = ".fetching-"
_TIMEOUT_S = 60
_RESERVE = 50_000_000  # bytes left free beside the jars


@dataclass(frozen=True, slots=True)
class Jar:
    """One locked jar."""

    group: str
    name: str
    version: str
    classifier: str  # "" for none
    sha256: str
    size: int  # bytes

    @property
    def file_name(self) -> str:
        """Name of the file, as Maven repositories have it."""
        return f"{self.name}-{self.version}{'-' + self.classifier if self.classifier else ''}.jar"

    @property
    def plugin(self) -> bool:
        """True for the jars of the plugins: Graph Data Science and APOC."""
        return self.group.startswith(("org.neo4j.gds", "org.neo4j.procedure"))


@dataclass(frozen=True, slots=True)
class JarsLock:
    """All jars of one server."""

    neo4j: str  # version
    main: str  # the class that Java starts
    java: tuple[int, ...]  # versions that it runs on
    gds: str  # version
    apoc: str  # version
    jars: tuple[Jar, ...]
    hash: str  # 16 hexadecimal digits; another lock has another one

    @property
    def size(self) -> int:
        """Bytes of all jars."""
        return sum(jar.size for jar in self.jars)

    @property
    def line(self) -> str:
        """The line of Neo4j ("5.26"), within which stores are compatible in both directions."""
        return ".".join(self.neo4j.split(".")[:2])


@cache
def read_lock(line: str) -> JarsLock:
    """Return the lock for a line of Neo4j, such as "5.26"."""
    return parse_lock(Path(__file__).with_name(f"jars-{line}.lock").read_text(encoding="utf-8"))


def parse_lock(text: str) -> JarsLock:
    """Parse a lock file: `#` comments, `neo4j VERSION`, `main CLASS`, `java 17,21`, `gds` and `apoc`; then jars.

    A jar is `COORDINATES SHA256 BYTES`. Raises ValueError naming the line that is not of this form.
    """
    lines = [(number, line.split()) for number, line in enumerate(text.splitlines(), start=1)]
    lines = [(number, fields) for number, fields in lines if fields and fields[0] != "#"]
    about = {fields[0]: fields[1] for _, fields in lines if len(fields) == 2}
    jars = tuple(_jar(number, fields) for number, fields in lines if len(fields) != 2)
    content = "\n".join(" ".join(fields) for _, fields in lines)
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    java = tuple(map(int, about["java"].split(",")))
    return JarsLock(about["neo4j"], about["main"], java, about["gds"], about["apoc"], jars, digest)


def _jar(number: int, fields: list[str]) -> Jar:
    parts = fields[0].split(":")
    if len(parts) not in {3, 4} or len(fields) != 3 or len(fields[1]) != 64 or not fields[2].isdigit():
        raise ValueError(f"line {number} of the lock is not COORDINATES SHA256 BYTES: {' '.join(fields)}")
    group, name, version, classifier = (*parts, "")[:4]
    return Jar(group, name, version, classifier, fields[1], int(fields[2]))


def ensure(given: Path | None, cache: Path, lock: JarsLock, progress: Progress) -> tuple[Path, ...]:
    """Return the verified jars, in the order of the lock: those of the folder `given`, or of the cache for None.

    What the cache lacks is fetched; `given` is only read.
    Raises FetchFailed, ChecksumMismatch or DiskFull.
    """
    if given is not None:
        return _given(given, lock)
    folder = cache_folder(cache, lock)
    fill(folder, lock, progress, download_from_maven)
    return tuple(folder / jar.file_name for jar in lock.jars)


def cache_folder(cache: Path, lock: JarsLock) -> Path:
    """Return the folder that all homes share; another lock means another folder."""
    return cache.absolute() / "jars" / lock.hash


def fill(folder: Path, lock: JarsLock, progress: Progress, download: Download) -> int:
    """Fetch into `folder` whatever it lacks of `lock`, and return how many jars that were.

    A second process waits for the first. A folder that lacks nothing is only read, so another user's cache will do.
    Raises FetchFailed, ChecksumMismatch or DiskFull; what was fetched by then stays.
    """
    import filelock

    if not missing_jars(folder, lock.jars):
        return 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with filelock.FileLock(folder / ".lock"):
            for leftover in folder.glob(f"{_STAGING}*"):
                shutil.rmtree(leftover)
            missing = missing_jars(folder, lock.jars)
            if missing:
                size = sum(jar.size for jar in missing)
                disk.require_space(folder, size + _RESERVE)
                progress.note(f"fetching {len(missing)} of {len(lock.jars)} jars ({size / 1e6:.0f} MB) into {folder}")
                progress.note(licences(lock))
                _fetch_all(missing, folder, progress, download)
    except OSError as error:
        disk.raise_if_full(error, folder)
        raise FetchFailed(
            f"cannot write to {error.filename or folder}: {error.strerror}", hint="set KG_CACHE to a folder of your own"
        ) from error
    return len(missing)


def export(cache: Path, lock: JarsLock, folder: Path, progress: Progress) -> None:
    """Fill `folder` for KG_JARS_DIR on another machine: copied from the cache where it has a jar, else fetched."""
    cached = cache_folder(cache, lock)

    def copy_or_download(jar: Jar, into: Path) -> Path:
        if _is_whole(cached, jar):
            return Path(shutil.copyfile(cached / jar.file_name, into / jar.file_name))
        return download_from_maven(jar, into)

    fill(folder, lock, progress, copy_or_download)


def missing_jars(folder: Path, jars: Sequence[Jar]) -> list[Jar]:
    """Return those of `jars` that are not in `folder` with the right size and checksum."""
    with ThreadPoolExecutor(THREADS) as pool:
        present = list(pool.map(partial(_is_whole, folder), jars))
    return [jar for jar, whole in zip(jars, present, strict=True) if not whole]


def licences(lock: JarsLock) -> str:
    """Return the note shown before the first fetch: what is fetched, under which licences, where its source is."""
    return (
        f"licences: Neo4j Community {lock.neo4j} (GPL-3.0, source: github.com/neo4j/neo4j), "
        f"Neo4j Graph Data Science {lock.gds} (GPL-3.0, source: github.com/neo4j/graph-data-science), "
        f"Neo4j Browser (GPL-3.0, source: github.com/neo4j/neo4j-browser), APOC Core {lock.apoc} (Apache-2.0, source: "
        "github.com/neo4j/apoc). The libraries they need have licences "
        "of their own. They run as a separate program and are no part of kg-neo4j (Apache-2.0)"
    )


def download_from_maven(jar: Jar, into: Path, repository: str | None = None) -> Path:
    """Fetch one jar from Maven Central, or from the Maven repository at the address `repository`.

    `into` serves as the client's own cache, so nothing stays outside it. Raises OSError or FetchFailed.
    """
    from jgo.maven import MavenContext

    remotes = None if repository is None else {"repository": repository}
    context = MavenContext(repo_cache=into, remote_repos=remotes, timeout=_TIMEOUT_S)
    component = context.project(jar.group, jar.name).at_version(jar.version)
    try:
        return Path(component.artifact(classifier=jar.classifier, packaging="jar").resolve())
    except RuntimeError as error:  # jgo's word for any status but 200
        traceback.clear_frames(error.__traceback__)  # jgo leaves the response open; this closes its connection
        raise FetchFailed(str(error)) from error


def _given(folder: Path, lock: JarsLock) -> tuple[Path, ...]:
    absent = [jar.file_name for jar in lock.jars if not (folder / jar.file_name).is_file()]
    if absent:
        raise FetchFailed(
            f"KG_JARS_DIR={folder} lacks {len(absent)} of {len(lock.jars)} jars: {', '.join(absent[:3])} ...",
            hint=f"fill it where there is a network: kg db fetch --to {folder}",
        )
    wrong = [jar.file_name for jar in missing_jars(folder, lock.jars)]
    if wrong:
        raise ChecksumMismatch(
            f"KG_JARS_DIR={folder} has {len(wrong)} jars that are not those of the lock: {', '.join(wrong[:3])}",
            hint=f"fetch them again: kg db fetch --to {folder}",
        )
    return tuple(folder.absolute() / jar.file_name for jar in lock.jars)


def _is_whole(folder: Path, jar: Jar) -> bool:
    path = folder / jar.file_name
    return path.is_file() and path.stat().st_size == jar.size and _sha256(path) == jar.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch_all(jars: Sequence[Jar], folder: Path, progress: Progress, download: Download) -> None:
    progress.start(STAGE, total=len(jars))
    with tempfile.TemporaryDirectory(prefix=_STAGING, dir=folder) as staging:
        pool = ThreadPoolExecutor(THREADS)
        try:
            for done in as_completed([pool.submit(_fetch, jar, folder, Path(staging), download) for jar in jars]):
                done.result()
                progress.advance(STAGE)
        finally:
            pool.shutdown(cancel_futures=True)
            progress.finish(STAGE)


def _fetch(jar: Jar, folder: Path, staging: Path, download: Download) -> None:
    """Fetch, verify and put in place one jar; tried again where that can help."""
    import tenacity

    tries = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=tenacity.wait_exponential_jitter(initial=FIRST_WAIT_S, max=10, jitter=FIRST_WAIT_S),
        retry=tenacity.retry_if_exception_type((OSError, FetchFailed)),
        reraise=True,
    )
    try:
        tries(_fetch_once, jar, folder, staging, download)
    except (OSError, FetchFailed) as error:
        said = (
            "a proxy of the environment is no address" if isinstance(error, ValueError) else error
        )  # as requests has it
        raise FetchFailed(
            f"{jar.file_name} cannot be fetched ({ATTEMPTS} attempts): {said}",
            hint="check the network, HTTPS_PROXY and REQUESTS_CA_BUNDLE, and run it again: what is here is kept. "
            "Without a network: kg db fetch --to DIR on another machine, then KG_JARS_DIR=DIR here",
        ) from error


def _fetch_once(jar: Jar, folder: Path, staging: Path, download: Download) -> None:
    with tempfile.TemporaryDirectory(dir=staging) as scratch:
        try:
            fetched = download(jar, Path(scratch))
        except OSError as error:
            disk.raise_if_full(error, folder)
            raise
        size = fetched.stat().st_size
        if size < jar.size:
            raise FetchFailed(f"{jar.file_name} was cut short: {size:,} of {jar.size:,} bytes")
        if (found := _sha256(fetched)) != jar.sha256:
            raise ChecksumMismatch(
                f"{jar.file_name} has the checksum {found}; the lock says {jar.sha256}. It was not used",
                hint="something between here and Maven Central changes files; try another network",
            )
        fetched.replace(folder / jar.file_name)
