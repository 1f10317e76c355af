from pathlib import Path

import pytest

from neo4j_local import java
from neo4j_local.errors import JavaMissing


def java_home(folder: Path, answer: str, code: int = 0) -> Path:
    """A `java` that answers whatever it is asked in this way, on standard error as the real one does."""
    executable = folder / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\necho '{answer}' >&2\nexit {code}\n")
    executable.chmod(0o755)
    return folder


def test_the_runtime_that_comes_with_us_is_found_and_runs() -> None:
    assert java.find(None, (21,)).name.startswith("java")


@pytest.mark.parametrize("version", ["17.0.12", "21", "21.0.8"])
def test_kg_java_home_wins(tmp_path: Path, version: str) -> None:
    home = java_home(tmp_path, f'openjdk version "{version}" 2024-07-16')
    assert java.find(home, (17, 21)) == home / "bin" / "java"


@pytest.mark.parametrize(("version", "major"), [("1.8.0_412", 1), ("11.0.24", 11), ("25", 25)])
def test_another_version_is_refused_with_its_number(tmp_path: Path, version: str, major: int) -> None:
    home = java_home(tmp_path, f'openjdk version "{version}"')
    with pytest.raises(JavaMissing, match=rf"is Java {major}; Neo4j needs 17 or 21") as caught:
        java.find(home, (17, 21))
    assert "NEO4J_URI" in (caught.value.hint or "")


def test_a_folder_without_java_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JavaMissing, match="does not run"):
        java.find(tmp_path, (21,))


def test_a_java_that_breaks_is_refused_with_what_it_said(tmp_path: Path) -> None:
    home = java_home(tmp_path, "error while loading shared libraries: libz.so", code=127)
    with pytest.raises(JavaMissing, match="libz"):
        java.find(home, (17, 21))


def test_the_memory_of_the_machine_is_known() -> None:
    assert java.machine_memory_mb() > 100


@pytest.mark.parametrize(("heap_mb", "size"), [(100, 1), (2_048, 8), (100_000_000, 32)])
def test_regions_of_the_heap_grow_with_it_as_far_as_java_lets_them(heap_mb: int, size: int) -> None:
    command = java.command(Path("/j/java"), "org.neo4j.Main", Path("/home"), heap_mb, ("-Dnonce=1",))
    assert f"-XX:G1HeapRegionSize={size}m" in command


def test_exactly_the_given_jars_are_on_the_class_path_in_order() -> None:
    text = java.class_path_file([Path("/a b/one.jar"), Path('/c"d/two.jar')])
    assert text == '-cp "/a b/one.jar:/c\\"d/two.jar"\n'


def test_the_command_line_carries_the_marks_and_the_heap_but_no_jar() -> None:
    command = java.command(Path("/j/java"), "org.neo4j.Main", Path("/home"), 512, ("-Dnonce=1", "--home-dir=/home"))
    assert {"-Xms256m", "-Xmx512m", "-XX:G1HeapRegionSize=2m"} <= {*command}
    assert command.index("-Dnonce=1") < command.index("org.neo4j.Main")
    assert command.index("--home-dir=/home") > command.index("org.neo4j.Main")
    assert not [part for part in command if part.endswith(".jar")]
