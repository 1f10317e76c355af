"""A headless Chromium, driven over two pipes by the DevTools protocol: no driver and no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAME = "kg.test"  # means 127.0.0.1 in this browser, which does not know that
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"),
    f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
)
LONGEST_S = 60  # that the browser may be silent


def program() -> str:
    """Return the browser; the test fails without one."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return found or pytest.fail("no Chromium on the path")


class Tab:
    """One page of the browser, and all that it asked for or complained of."""

    def __init__(self, reading: int, writing: int) -> None:
        self._read, self._write = reading, writing
        self._number, self._buffer, self._session = 0, b"", None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Run a command of the protocol and return its result."""
        answer = self._answer(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def _answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        session = {"sessionId": self._session} if self._session else {}
        os.write(self._write, json.dumps(message | session).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                return answer
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            assert select.select([self._read], [], [], LONGEST_S)[0], "the browser is silent"
            part = os.read(self._read, 1 << 16)
            assert part, "the browser has ended"
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, address: str, *, width: int = 1280, height: int = 800, scheme: str = "light") -> None:
        """Show a page in a window of this size, and wait until it is loaded and drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url="about:blank")
        self.load(address)
        self.settle()

    def load(self, address: str) -> None:
        """Go to a page and wait until it is loaded."""
        self.value("0")
        self.follow("Page.navigate", url=address)

    def follow(self, method: str, **params: Any) -> None:
        """Run a command that leads to a page, and wait until that is loaded."""
        self.events.clear()
        self.call(method, **params)
        while not any(each["method"] == "Page.loadEventFired" for each in self.events):
            self.events.append(self._next())

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.value(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))"
        )

    def value(self, expression: str) -> Any:
        """Return the value of a JavaScript expression; it runs outside the page's policy."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str) -> Any:
        """Wait until an expression is true, and return its value; the page may be replaced meanwhile."""
        end = time.monotonic() + LONGEST_S
        while True:  # the answer is an error of the protocol where one page goes and the next one comes
            answer = self._answer("Runtime.evaluate", {"expression": expression, "returnByValue": True})
            if found := answer.get("result", {}).get("result", {}).get("value"):
                return found
            assert time.monotonic() < end, (expression, answer)
            time.sleep(0.05)

    def spot(self, element: str) -> tuple[float, float]:
        """Return where an element can be clicked. Fails where another one lies over it."""
        x, y, is_free = self.value(
            f"(() => {{ const each = {element}; each.scrollIntoView({{block: 'center'}}); "
            "const box = each.getClientRects()[0], x = box.left + box.width / 2, y = box.top + box.height / 2; "
            "return [x, y, each.contains(document.elementFromPoint(x, y))]; })()"
        )
        assert is_free, element
        return x, y

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self._mouse(kind, x, y)
        self.settle()

    def click_through(self, x: float, y: float) -> None:
        """Click what leads to a page, and wait until that is loaded."""
        for kind in ("mouseMoved", "mousePressed"):
            self._mouse(kind, x, y)
        self.follow("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)

    def _mouse(self, kind: str, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def press(self, key: str) -> None:
        """Press a key."""
        text: dict[str, Any] = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        if key == "Tab":
            text = {"windowsVirtualKeyCode": 9}  # without it the focus stays where it is
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def picture(self, target: Path) -> None:
        """Write what the window shows as PNG."""
        target.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self) -> list[str]:
        """Return errors, warnings, and whatever else the page wrote to the console since it was opened."""
        self.value("0")
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(each["params"]) for each in self.events if each["method"] in kinds]

    def documents(self) -> list[dict[str, Any]]:
        """Return the pages that came since the last one was left: request, status, and the headers that were sent."""
        self.until("1")
        found: list[dict[str, Any]] = []
        sent: dict[str, list[dict[str, str]]] = {}
        for event in self.events:
            kind, given = event["method"], event["params"]
            if kind == "Network.requestWillBeSentExtraInfo":
                headers = {name.lower(): value for name, value in given["headers"].items()}
                sent.setdefault(given["requestId"], []).append(headers)
            if kind == "Network.requestWillBeSent" and given.get("type") == "Document":
                if "redirectResponse" in given:
                    found[-1]["status"] = given["redirectResponse"]["status"]
                found.append({"id": given["requestId"], **given["request"], "status": None})
            if kind == "Network.responseReceived" and given["type"] == "Document":
                found[-1]["status"] = given["response"]["status"]
        return [{**each, "headers": sent[each["id"]].pop(0)} for each in found if each["status"]]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the page was opened, itself among them."""
        self.value("0")
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]


@contextmanager
def browser(profile: Path) -> Iterator[Tab]:
    """Give a tab of a browser that ends with the block."""
    to_child, ours_out = os.pipe()
    ours_in, from_child = os.pipe()
    # The browser reads commands from 3 and answers on 4.
    command = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
    arguments = [program(), *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    child = subprocess.Popen(
        ["/bin/bash", "-c", command, "browser", str(to_child), str(from_child), *arguments],
        pass_fds=(to_child, from_child),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_child)
    os.close(from_child)
    try:
        yield Tab(ours_in, ours_out)
    finally:
        child.terminate()
        child.wait(timeout=30)
        os.close(ours_in)
        os.close(ours_out)
