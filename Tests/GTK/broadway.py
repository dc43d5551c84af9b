"""Fingers: GTK's broadway server, and a headless Chromium whose touch events reach it."""

import base64
import json
import math
import os
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

from desktop import Processes, wait_until


class DevTools:
    """Connection to a page of Chromium: a WebSocket with JSON messages."""

    def __init__(self, address):
        host, path = address.removeprefix("ws://").split("/", 1)
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.number = 0

    def read(self, count):
        while len(self.buffer) < count:
            part = self.socket.recv(65536)
            assert part, "Chromium closed the connection"
            self.buffer += part
        result, self.buffer = self.buffer[:count], self.buffer[count:]
        return result

    def receive(self):
        text = b""
        while True:
            first, second = self.read(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack(">H", self.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.read(8))
            text += self.read(length)
            if first & 0x80:
                return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": parameters}).encode()
        mask = os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else (
            bytes([0x80 | 126]) + struct.pack(">H", len(data)) if len(data) < 65536
            else bytes([0x80 | 127]) + struct.pack(">Q", len(data)))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.socket.sendall(b"\x81" + size + mask + masked)
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]

    def evaluate(self, expression):
        return self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"].get("value")

    def close(self):
        self.socket.close()


class TouchScreen:
    """Context manager: a display of broadway that a browser shows."""

    def __init__(self, desktop, number=None, port=None):
        self.desktop = desktop
        self.number = number or int(os.environ.get("GTK_TEST_BROADWAY", "85"))
        self.port = port or 22000 + self.number
        self.processes = Processes()

    def __enter__(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.folder = tempfile.TemporaryDirectory(prefix="chromium-", dir=self.desktop.folder.name)
        runtime = {"XDG_RUNTIME_DIR": self.desktop.folder.name}
        environment = self.desktop.environment | runtime
        self.processes.start(
            "gtk4-broadwayd", "--port", str(self.port), f":{self.number}", env=environment, **quiet)
        wait_until(lambda: self.accepts(self.port), what="broadway")
        # GTK's renderer for broadway draws in the browser; cairo's does not.
        self.environment = {
            **runtime, "GDK_BACKEND": "broadway", "BROADWAY_DISPLAY": f":{self.number}", "GSK_RENDERER": "",
        }
        self.processes.start(
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
            "--remote-allow-origins=*", f"--user-data-dir={self.folder.name}", "--window-size=1280,1024",
            "--touch-events=enabled", "about:blank", env=environment, **quiet)
        path = os.path.join(self.folder.name, "DevToolsActivePort")
        port = wait_until(lambda: os.path.exists(path) and open(path).readline().strip(), 30, "Chromium")

        def page():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=10) as response:
                pages = [target for target in json.load(response) if target["type"] == "page"]
            return pages and pages[0]["webSocketDebuggerUrl"]

        self.tools = DevTools(wait_until(page, 20, "a page of Chromium"))
        self.tools.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.tools.call("Page.navigate", url=f"http://127.0.0.1:{self.port}/")
        wait_until(lambda: self.tools.evaluate("document.readyState") == "complete", what="broadway's page")
        return self

    def __exit__(self, *_):
        self.tools.close()
        self.processes.stop()
        self.folder.cleanup()

    @staticmethod
    def accepts(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def origin(self, width):
        """Position in the browser of the window with that width, once it has been at rest for a frame of the browser."""
        script = """(() => { let best = null;
            for (const node of document.querySelectorAll('body > *')) {
                const place = node.getBoundingClientRect();
                if (place.width > 50 && (!best || place.width > best[2])) best = [place.left, place.top, place.width];
            } return best; })()"""
        frame = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))"

        def position():
            former = self.tools.evaluate(script)
            self.desktop.program.input()
            self.tools.evaluate(frame)
            now = self.tools.evaluate(script)
            return now if now == former and now and now[2] >= width - 60 else None

        return wait_until(position, 20, "the window in the browser")[:2]

    # Fingers, each a list of points over the same number of moments.

    def touch(self, kind, points):
        self.tools.call(
            "Input.dispatchTouchEvent", type=kind,
            touchPoints=[{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)],
        )

    def move(self, *fingers, seconds=0.2):
        """Puts down the fingers, moves them through their points at once, and lifts them."""
        count = max(len(finger) for finger in fingers)
        pause = seconds / max(1, count - 1) if count > 1 else seconds
        presses, _ = self.desktop.program.input()
        self.touch("touchStart", [finger[0] for finger in fingers])
        wait_until(lambda: self.desktop.program.input()[0] > presses, what=f"the touch at {fingers[0][0]}")
        for moment in range(1, count):
            time.sleep(pause)
            self.touch("touchMove", [finger[min(moment, len(finger) - 1)] for finger in fingers])
        if count == 1:
            time.sleep(pause)
        self.touch("touchEnd", [])

    def tap(self, x, y):
        self.move([(x, y)], seconds=0.08)

    def press(self, x, y, seconds):
        self.move([(x, y)], seconds=seconds)

    def line(self, start, end, seconds, count=10):
        self.move([
            (start[0] + (end[0] - start[0]) * step / count, start[1] + (end[1] - start[1]) * step / count)
            for step in range(count + 1)
        ], seconds=seconds)

    def pinch(self, center, start, end, seconds=0.4, count=12):
        """Two fingers whose distance from the center changes."""
        radii = [start + (end - start) * step / count for step in range(count + 1)]
        self.move([(center[0] - radius, center[1]) for radius in radii],
                  [(center[0] + radius, center[1]) for radius in radii], seconds=seconds)

    def rotate(self, center, radius, degrees, seconds=0.4, count=12):
        """Two fingers opposite of each other, which turn clockwise."""
        angles = [math.radians(degrees * step / count) for step in range(count + 1)]
        self.move(*[
            [(center[0] + side * radius * math.cos(angle), center[1] + side * radius * math.sin(angle))
             for angle in angles]
            for side in (-1, 1)
        ], seconds=seconds)
