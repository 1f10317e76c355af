"""An interrupt is raised where it is allowed, once, and never lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from kg_neo4j import interrupts
from kg_neo4j.interrupts import held, released


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt here, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def log_of(work: Callable[[list[str]], None]) -> list[str]:
    """Return what `work` logs before an interrupt ends it."""
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt), held():
        work(done)
    return done


def test_a_held_interrupt_is_raised_at_the_end_of_the_block() -> None:
    def work(done: list[str]) -> None:
        ctrl_c()
        done.append("the rest of the block")

    assert log_of(work) == ["the rest of the block"]


def test_a_held_interrupt_is_raised_where_the_work_waits() -> None:
    def work(done: list[str]) -> None:
        ctrl_c()
        done.append("before")
        with released():
            done.append("while it waits")

    assert log_of(work) == ["before"]


def test_an_interrupt_while_the_work_waits_is_raised_at_once_and_once() -> None:
    def wait(done: list[str]) -> None:
        with released():
            with released():
                done.append("waits within the waiting")
            ctrl_c()
            done.append("an interrupt that does not come")

    done: list[str] = []
    with held():
        with pytest.raises(KeyboardInterrupt):
            wait(done)
        interrupts.check()
    assert done == ["waits within the waiting"]


def test_a_second_interrupt_is_not_held() -> None:
    def work(done: list[str]) -> None:
        ctrl_c()
        done.append("after the first")
        ctrl_c()
        done.append("after the second")

    assert log_of(work) == ["after the first"]


def test_blocks_within_one_another_are_one() -> None:
    def work(done: list[str]) -> None:
        with held():
            ctrl_c()
        done.append("the outer block")

    assert log_of(work) == ["the outer block"]


def test_afterwards_the_handlers_are_the_former_ones() -> None:
    before = [signal.getsignal(number) for number in interrupts.SIGNALS]
    with pytest.raises(ValueError, match="of the block"), held():
        raise ValueError("of the block")
    assert [signal.getsignal(number) for number in interrupts.SIGNALS] == before
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()


def test_another_thread_holds_nothing() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with held(), released():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_thread_that_is_stopped_ends_where_its_work_is_released_and_once() -> None:
    done: list[str] = []
    ended: list[str] = []
    interrupts.endings.append(lambda: ended.append("another question"))

    def stop() -> None:
        interrupts.stopped[threading.get_ident()] = KeyboardInterrupt()

    def work() -> None:
        stop()
        try:
            with held():
                done.append("the rest of the held work")
                with released():
                    done.append("never")
        except KeyboardInterrupt:
            done.append("stopped")
        try:
            with released():
                stop()
                done.append("what it waits for comes")
        except KeyboardInterrupt:
            done.append("stopped")
        interrupts.check()
        done.append("what it began is brought to its end")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    interrupts.endings.pop()
    assert done == [
        *("the rest of the held work", "stopped", "what it waits for comes", "stopped"),
        "what it began is brought to its end",
    ]
    assert (ended, interrupts.stopped) == ([], {})
