"""Addresses, paths, proxies and certificates that cannot be used: one sentence each, with the name of the setting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kg_neo4j.settings import check_network
from kg_runner import RunKg
from tls_server import tls_server, write_certificate

CANARY = "canary"  # of every password and key
HERE = "http://127.0.0.1:9/v1"
NETWORK = (
    *("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "all_proxy", "http_proxy", "https_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSLKEYLOGFILE"),
)
USUAL = {
    "OPENAI_BASE_URL": HERE,
    "OPENAI_API_KEY": "key12345678",
    "KG_MODEL": "m",
    "NEO4J_URI": "bolt://127.0.0.1:9",
    "NEO4J_PASSWORD": "x",
}
COMMANDS = (["load", "{here}/text.txt"], ["ask", "Who?"], ["doctor"], ["load", "--wikipedia", "Ada"])

WEB = (
    *("localhost:11434/v1", "127.0.0.1", "ftp://127.0.0.1/v1", "http://", "http:///v1", "http://127.0.0.1:abc/v1"),
    *("http://127.0.0.1:99999/v1", "http://127.0.0.1:0", "http://local host:80/v1", "http://127.0.0.1/v1 ", "[::1]:80"),
    *("http://127.0.0.1/v1 http://127.0.0.2/v1", "http://127.0.0.1/v1,http://127.0.0.2/v1", f'"{HERE}"', "http://[::1"),
    *(f"http://ann:{CANARY}#1@127.0.0.1/v1", f"http://ann:1/{CANARY}@127.0.0.1/v1", "http://127.0.0.1/\x1b[1mv1"),
)
BOLT = (
    *("http://127.0.0.1:7474", "https://127.0.0.1:7473", "bolt://127.0.0.1:abc", "bolt://", "bolt://:7687"),
    *("neo4j://127.0.0.1:70000", "bolt+x://127.0.0.1", "bolt+routing://127.0.0.1", "127.0.0.1:7687", "localhost"),
    *("jdbc:neo4j://127.0.0.1", "bolt://127.0.0.1 ", "bolt://127.0.0.1:7687,bolt://127.0.0.2:7687", "bolt:127.0.0.1"),
    *(f"bolt://neo4j:{CANARY}@127.0.0.1:7687", f"bolt://neo4j:1/{CANARY}@127.0.0.1:7687"),
)
PROXY = (
    *(
        "socks5://127.0.0.1:9",
        "socks5h://127.0.0.1:9",
        "socks4://127.0.0.1:9",
        "socks://127.0.0.1:9",
        "ftp://127.0.0.1",
    ),
    *("http://", "http://:3128", "http://127.0.0.1:abc", "127.0.0.1:abc", "http://127.0.0.1:99999", "http://a b:3128"),
    *("http://127.0.0.1:1,http://127.0.0.2:1", "direct://", '"http://127.0.0.1:1"', "http://127.0.0.1:1\n"),
    *(f"http://ann:p#{CANARY}@127.0.0.1:9", f"http://ann:12#{CANARY}@127.0.0.1:9", f"http://ann:{CANARY}/@127.0.0.1:9"),
)
# {here}: a folder with text.txt, which is no folder and no certificate, and closed, a folder without rights
PATHS = ("{here}/text.txt", "{here}/text.txt/below", "/proc/kg", "/dev/null/kg", "/" + "long" * 100)
CERTIFICATES = ("/nowhere/ca.pem", "{here}/text.txt", "{here}/empty.pem", "/" + "long" * 100)
VALUES = (
    *(("OPENAI_BASE_URL", value) for value in WEB),
    *(("KG_JUDGE_BASE_URL", value) for value in WEB[-4:]),
    *(("KG_WIKIPEDIA_URL", value) for value in WEB[-4:]),
    *(("NEO4J_URI", value) for value in BOLT),
    *(("ALL_PROXY", value) for value in PROXY),
    *((name, value) for name in ("HTTP_PROXY", "https_proxy") for value in PROXY[-3:]),
    *((name, value) for name in ("KG_HOME", "KG_CACHE") for value in PATHS),
    *((name, value) for name in ("KG_JARS_DIR", "KG_JAVA_HOME", "KG_PRICES") for value in ("/nowhere", *PATHS[1:])),
    *((name, value) for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE") for value in CERTIFICATES),
    *(("SSL_CERT_FILE", "{here}"), ("KG_PRICES", "{here}"), ("KG_JAVA_HOME", "{here}/text.txt")),
    *(("SSL_CERT_DIR", value) for value in ("/nowhere", "{here}/text.txt", "/nowhere:/neither")),
    *(("SSLKEYLOGFILE", value) for value in ("/nowhere/keys.log", "{here}", "/proc/keys.log")),
)


@pytest.fixture(autouse=True)
def no_proxy_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove what the machine of the tests has."""
    for name in NETWORK:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a text and an empty file."""
    (tmp_path / "text.txt").write_text("Rosa Lindqvist works at Harbour Clinic.", "utf-8")
    (tmp_path / "empty.pem").touch()
    return tmp_path


def complaint(code: int, out: str, err: str) -> str:
    """Return the one sentence of a command that failed."""
    assert (code, out) == (2, "")
    assert CANARY not in err
    said, *hints = err.splitlines()
    assert said.startswith("error: ")
    assert len(hints) <= 1
    return said


def test_there_are_more_than_sixty_bad_values() -> None:
    assert len(set(VALUES)) == len(VALUES) > 60


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_a_value_that_cannot_be_used_is_refused_before_any_work(
    run_kg: RunKg, here: Path, name: str, value: str
) -> None:
    environment = {**USUAL, name: value.replace("{here}", str(here))}
    for command in COMMANDS:
        ran = run_kg([each.replace("{here}", str(here)) for each in command], environment)
        assert name in complaint(*ran)
    assert sorted(each.name for each in here.iterdir()) == ["empty.pem", "text.txt"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("ALL_PROXY", PROXY[0]), ("HTTPS_PROXY", PROXY[-1]), ("SSL_CERT_FILE", CERTIFICATES[0])),
        *(("NO_PROXY", value) for value in ("fd00::/8", "[::1]", "127.0.0.1:abc")),
    ],
)
def test_a_page_of_a_wiki_needs_them_without_a_model_too(run_kg: RunKg, here: Path, name: str, value: str) -> None:
    pytest.importorskip("kg_neo4j_offline")
    environment = {
        **USUAL,
        "OPENAI_BASE_URL": "",
        "OPENAI_API_KEY": "",
        "HTTP_PROXY": "http://127.0.0.1:9",
        name: value,
    }
    assert name in complaint(*run_kg(["load", "--wikipedia", "Ada"], environment))


def test_what_no_client_reads_is_not_looked_at(run_kg: RunKg) -> None:
    environment = {**USUAL, "OPENAI_BASE_URL": "", "OPENAI_API_KEY": "", "ALL_PROXY": PROXY[0]}
    assert run_kg(["config"], environment)[0] == 0
    assert run_kg(["config"], {**USUAL, "ALL_PROXY": PROXY[0], "NO_PROXY": "127.0.0.1,*"})[0] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("OPENAI_BASE_URL", each)
            for each in ("HTTPS://models.example", "http://[::1]:80/v1", "http://model_1:80/v1")
        ),
        *(
            ("OPENAI_BASE_URL", each)
            for each in ("http://bücher.example/v1", "https://cache.example/https://a.example/v1")
        ),
        *(
            ("OPENAI_BASE_URL", each)
            for each in (f"http://ann:{CANARY}@a.example", f"http://a.example/v1?key={CANARY}")
        ),
        *(("NEO4J_URI", each) for each in ("neo4j+s://a.databases.neo4j.io", "bolt+ssc://localhost:", "neo4j://a?x=y")),
        *(
            ("HTTP_PROXY", each)
            for each in ("127.0.0.1:3128", "http://ann:p%23ss@127.0.0.1:9", "https://ann:p@ss@a:9/")
        ),
        *(("KG_HOME", each) for each in ("{here}", "{here}/new/home", "relative")),
        *(("SSL_CERT_DIR", each) for each in ("{here}", "/nowhere:{here}")),
    ],
)
def test_a_value_that_can_be_used_is_taken_and_no_secret_is_listed(
    run_kg: RunKg, here: Path, name: str, value: str
) -> None:
    code, out, err = run_kg(["config", "--all"], {**USUAL, name: value.replace("{here}", str(here))})
    assert (code, err) == (0, "")
    assert CANARY not in out


@pytest.mark.parametrize(
    ("name", "address", "command"),
    [
        ("OPENAI_BASE_URL", "https://localhost:{port}/v1", ["doctor"]),
        ("KG_WIKIPEDIA_URL", "https://localhost:{port}/w/api.php", ["load", "--wikipedia", "Ada"]),
        ("NEO4J_URI", "bolt+s://localhost:{port}", ["status"]),
        ("NEO4J_URI", "neo4j+s://localhost:{port}", ["status"]),
    ],
)
def test_a_certificate_that_is_not_accepted_has_a_hint(
    run_kg: RunKg, tmp_path: Path, name: str, address: str, command: list[str]
) -> None:
    write_certificate(tmp_path / "own.pem")
    with tls_server(tmp_path / "own.pem") as port:
        environment = {**USUAL, "KG_MODEL_RETRIES": "0", name: address.format(port=port)}
        code, out, err = run_kg(command, environment)
    assert code
    assert "in SSL_CERT_FILE" in out + err


def test_a_connection_that_fails_names_the_proxies(run_kg: RunKg) -> None:
    environment = {
        **USUAL,
        "HTTPS_PROXY": f"http://ann:{CANARY}@127.0.0.1:9",
        "OPENAI_BASE_URL": "https://a.example/v1",
    }
    code, out, err = run_kg(["doctor"], environment)
    assert (code, err) == (1, "")
    assert "is OPENAI_BASE_URL right? (HTTPS_PROXY)" in out
    assert CANARY not in out


def test_a_file_of_certificates_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    import certifi

    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    check_network()


@pytest.mark.parametrize(("name", "value"), [("ALL_PROXY", PROXY[0]), ("NEO4J_URI", BOLT[0])])
def test_a_process_ends_with_the_sentence(here: Path, name: str, value: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "kg_neo4j", "load", str(here / "text.txt")],
        env={**os.environ, **USUAL, name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert name in complaint(ran.returncode, ran.stdout, ran.stderr)
