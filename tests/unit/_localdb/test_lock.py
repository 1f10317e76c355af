import pytest

from kg_neo4j._localdb import lock

SHA = "a" * 64
TEXT = f"# a comment\nneo4j 5.26.30\ngds 2.13.9\norg.a:b:1.0 {SHA} 12\norg.neo4j.gds:proc:2.13.9:x86 {SHA} 7\n"


def test_our_lock_names_the_pinned_versions_and_all_their_jars() -> None:
    locked = lock.read()
    assert (locked.neo4j, locked.gds, locked.line) == ("5.26.30", "2.13.9", "5.26")
    assert (len(locked.jars), locked.size) == (345, 170_121_990)


def test_our_lock_has_one_file_name_for_each_jar() -> None:
    names = [jar.file_name for jar in lock.read().jars]
    assert len(set(names)) == len(names)


def test_our_lock_serves_linux_and_macos_on_both_processors() -> None:
    classifiers = {jar.classifier for jar in lock.read().jars}
    assert {"linux-x86_64", "linux-aarch_64", "osx-x86_64", "osx-aarch_64"} <= classifiers


def test_every_part_of_neo4j_has_the_pinned_version() -> None:
    locked = lock.read()
    of_neo4j = {jar.version for jar in locked.jars if jar.group in {"org.neo4j", "org.neo4j.app"}}
    assert of_neo4j == {locked.neo4j}
    assert {jar.version for jar in locked.jars if jar.plugin} == {locked.gds}


def test_a_line_becomes_a_jar() -> None:
    first, second = lock.parse(TEXT).jars
    assert (first.file_name, first.size, first.plugin) == ("b-1.0.jar", 12, False)
    assert (second.file_name, second.classifier, second.plugin) == ("proc-2.13.9-x86.jar", "x86", True)


def test_the_hash_follows_the_jars_and_not_the_comments() -> None:
    original = lock.parse(TEXT).hash
    assert lock.parse(TEXT.replace("a comment", "another")).hash == original
    assert lock.parse(TEXT.replace(SHA, "b" * 64)).hash != original


@pytest.mark.parametrize("line", ["org.a:b:1.0", f"org.a:b {SHA} 12", "org.a:b:1.0 abc 12", f"org.a:b:1.0 {SHA} many"])
def test_a_line_of_another_form_is_named(line: str) -> None:
    with pytest.raises(ValueError, match="line 6 of the lock"):
        lock.parse(TEXT + line + " more" * (" " not in line) * 2 + "\n")
