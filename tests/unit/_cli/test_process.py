"""Signals end the program, whatever it is doing: test plan row 32."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

STUBBORN = """
import sys, threading
from kg_neo4j._cli import process
process.LEAVE_S = {leave_s}
handling = process.Interrupts()
with handling.handled():
    word = "ready"
    while True:
        try:
            print(word, flush=True)
            threading.Event().wait()
        except KeyboardInterrupt:
            word = "interrupted"
"""


def started(leave_s: float) -> subprocess.Popen[str]:
    program = STUBBORN.format(leave_s=leave_s)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_work_that_does_not_end_is_left(number: signal.Signals, code: int) -> None:
    with started(leave_s=0.1) as process:
        process.send_signal(number)
        assert process.wait(60) == code
        assert process.stdout
        assert process.stdout.read() == "interrupted\n"


def test_a_second_signal_leaves_at_once() -> None:
    with started(leave_s=3_600) as process:
        process.send_signal(signal.SIGINT)
        assert process.stdout
        assert process.stdout.readline() == "interrupted\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143


def test_handlers_are_put_back() -> None:
    from kg_neo4j._cli.process import Interrupts

    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with Interrupts().handled():
        assert signal.getsignal(signal.SIGTERM) not in before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
