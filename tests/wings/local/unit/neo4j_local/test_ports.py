import socket
import threading
from collections.abc import Iterator

import pytest

from jar_repository import Recorder
from neo4j_local import ports
from neo4j_local.errors import PortTaken


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def taken(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


@pytest.mark.parametrize("field", ["bolt_port", "http_port"])
def test_a_chosen_port_that_is_taken_is_an_error_naming_it(field: str, taken: int, progress: Recorder) -> None:
    with pytest.raises(PortTaken, match=rf"KG_DB_{field.upper()}={taken}") as caught:
        ports.choose(**{"bolt_port": 0, "http_port": 0, field: taken}, progress=progress)
    assert "=0" in (caught.value.hint or "")


def test_a_default_port_that_is_taken_gives_way_and_says_so(
    taken: int, progress: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "BOLT", taken)
    bolt, http = ports.choose(None, 0, progress)
    assert len({bolt, http, taken}) == 3
    assert [str(taken) in note and str(bolt) in note for note in progress.notes] == [True]


def test_zero_means_two_different_free_ports(progress: Recorder) -> None:
    bolt, http = ports.choose(0, 0, progress)
    assert bolt != http
    assert not ports.is_taken(bolt)
    assert progress.notes == []


def test_a_free_port_is_taken_as_chosen(progress: Recorder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    assert ports.choose(free, 0, progress)[0] == free


@pytest.mark.parametrize("address", ["0.0.0.0", "127.0.0.1"])
def test_a_listener_on_any_address_that_covers_loopback_counts(address: str) -> None:
    with socket.create_server((address, 0)) as server:
        assert ports.is_taken(server.getsockname()[1])


def test_a_port_that_is_bound_without_listening_counts() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        assert ports.is_taken(bound.getsockname()[1])


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\0", b"\0\0", b""])
def test_what_does_not_answer_as_bolt_does_is_not_taken_for_it(
    answer: bytes, listener: socket.socket, taken: int
) -> None:
    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(20)
            connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    assert not ports.speaks_bolt(taken)
    thread.join()


def test_nobody_at_a_port_does_not_speak_bolt() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    assert not ports.speaks_bolt(free)
