import pytest

from neo4j_local import configuration, jars

SHA = "a" * 64
ABOUT = "# a comment\nneo4j 5.26.30\nmain org.neo4j.Main\njava 17,21\ngds 2.13.9\napoc 5.26.19\n"
TEXT = f"{ABOUT}org.a:b:1.0 {SHA} 12\norg.neo4j.gds:proc:2.13.9:x86 {SHA} 7\n"
LINES = tuple(configuration.OF_LINE)


@pytest.mark.parametrize(
    ("line", "versions", "java", "count", "size"),
    [
        ("5.26", ("5.26.30", "2.13.9"), (17, 21), 350, 171_959_677),
        ("2026.03", ("2026.03.1", "2.26.0"), (21,), 376, 190_236_912),
    ],
)
def test_our_locks_name_the_pinned_versions_and_all_their_jars(
    line: str, versions: tuple[str, str], java: tuple[int, ...], count: int, size: int
) -> None:
    locked = jars.read_lock(line)
    assert (locked.neo4j, locked.gds) == versions
    assert locked.neo4j.startswith(line)
    assert locked.java == java
    assert (len(locked.jars), locked.size) == (count, size)


def test_every_line_that_can_be_set_has_a_lock_of_its_own() -> None:
    assert len({jars.read_lock(line).hash for line in LINES}) == len(LINES) == 2


@pytest.mark.parametrize("line", LINES)
def test_our_locks_have_one_file_name_for_each_jar(line: str) -> None:
    names = [jar.file_name for jar in jars.read_lock(line).jars]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("line", LINES)
def test_our_locks_serve_linux_and_macos_on_both_processors(line: str) -> None:
    classifiers = {jar.classifier for jar in jars.read_lock(line).jars}
    assert {"linux-x86_64", "linux-aarch_64", "osx-x86_64", "osx-aarch_64"} <= classifiers


@pytest.mark.parametrize("line", LINES)
def test_every_part_of_neo4j_and_gds_has_the_pinned_version(line: str) -> None:
    locked = jars.read_lock(line)
    of_neo4j = {jar.version for jar in locked.jars if jar.group in {"org.neo4j", "org.neo4j.app"}}
    assert of_neo4j == {locked.neo4j}
    assert {jar.version for jar in locked.jars if jar.group == "org.neo4j.gds"} == {locked.gds}
    assert {jar.version for jar in locked.jars if jar.group == "org.neo4j.procedure"} == {locked.apoc}


def test_a_line_becomes_a_jar() -> None:
    locked = jars.parse_lock(TEXT)
    assert (locked.main, locked.java) == ("org.neo4j.Main", (17, 21))
    first, second = locked.jars
    assert (first.file_name, first.size, first.plugin) == ("b-1.0.jar", 12, False)
    assert (second.file_name, second.classifier, second.plugin) == ("proc-2.13.9-x86.jar", "x86", True)


def test_the_hash_follows_the_jars_and_not_the_comments() -> None:
    original = jars.parse_lock(TEXT).hash
    assert jars.parse_lock(TEXT.replace("a comment", "another")).hash == original
    assert jars.parse_lock(TEXT.replace(SHA, "b" * 64)).hash != original


@pytest.mark.parametrize("line", ["org.a:b:1.0", f"org.a:b {SHA} 12", "org.a:b:1.0 abc 12", f"org.a:b:1.0 {SHA} many"])
def test_a_line_of_another_form_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 9 of the lock"):
        jars.parse_lock(TEXT + line + " more" * (" " not in line) * 2 + "\n")
