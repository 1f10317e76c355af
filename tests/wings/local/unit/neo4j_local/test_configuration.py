import re

from neo4j_local import configuration


def conf(line: str = "5.26") -> dict[str, str]:
    lines = configuration.text(line, 7001, 7002, 128).splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_every_address_is_loopback_with_the_chosen_port() -> None:
    addresses = {name: value for name, value in conf().items() if name.endswith("_address")}
    assert addresses.pop("server.default_listen_address") == "127.0.0.1"
    assert set(addresses.values()) == {"127.0.0.1:7001", "127.0.0.1:7002"}
    assert not re.search(r"0\.0\.0\.0(?!/)", configuration.text("5.26", 7001, 7002, 128))


def test_load_csv_is_closed_and_nothing_is_reported_to_anybody() -> None:
    found = conf()
    assert found["dbms.security.allow_csv_import_from_file_urls"] == "false"
    assert found["server.directories.import"] == "import"
    assert found["internal.dbms.cypher_ip_blocklist"] == "0.0.0.0/0,::/0"
    assert found["dbms.usage_report.enabled"] == "false"
    assert found["dbms.security.auth_enabled"] == "true"


def test_of_apoc_only_what_reads_the_schema_is_loaded() -> None:
    allowed = "gds.*,apoc.meta.data,apoc.meta.subGraph,apoc.any.property"
    assert conf()["dbms.security.procedures.allowlist"] == allowed
    assert conf()["dbms.security.procedures.unrestricted"] == allowed


def test_neo4j_2026_cannot_be_made_to_report_to_its_makers() -> None:
    assert conf("2026.03")["dbms.fleet_manager.enabled"] == "false"
    assert "dbms.fleet_manager.enabled" not in conf("5.26")


def test_memory_follows_the_machine_within_bounds() -> None:
    assert configuration.memory(1024) == configuration.ServerMemory(512, 128)
    assert configuration.memory(8192) == configuration.ServerMemory(1024, 1024)
    assert configuration.memory(262_144) == configuration.ServerMemory(2048, 1024)


def test_memory_that_is_set_is_taken_as_it_is() -> None:
    assert configuration.memory(262_144, heap_mb=300, pagecache_mb=64) == configuration.ServerMemory(300, 64)
    assert configuration.memory(8192, pagecache_mb=64) == configuration.ServerMemory(1024, 64)
