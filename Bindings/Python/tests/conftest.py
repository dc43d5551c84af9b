"""Fixtures: a collector of this checkout, and stores in new folders."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
CLI = pathlib.Path(os.environ.get("CLICKSTREAM_CLI", ROOT / ".build/debug/clickstream-cli"))


class Collector:
    def __init__(self, folder):
        if not CLI.exists():
            raise FileNotFoundError(f"{CLI}: run `.ci/build --product clickstream-cli`, or set CLICKSTREAM_CLI")
        self.process = subprocess.Popen(
            [CLI, "collect", "--port", "0", "--store", str(folder / "events.sqlite")],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        start = self.process.stdout.readline()
        assert start.startswith("{"), f"the collector prints {start!r}"
        address = json.loads(start)
        self.base, self.endpoint = address["url"], address["endpoint"]

    def events(self, name=""):
        """Events of a name, or all, in the order of their arrival."""
        found, cursor = [], ""
        while True:
            with urllib.request.urlopen(f"{self.base}/api/events?limit=10000&name={name}&cursor={cursor}") as answer:
                page = json.load(answer)
            found += [element["event"] for element in page["events"]]
            if not page.get("next"):
                return found
            cursor = page["next"]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=20)


@pytest.fixture
def collector(tmp_path):
    running = Collector(tmp_path)
    yield running
    running.stop()


@pytest.fixture
def settings(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("CLICKSTREAM_") and name not in ("CLICKSTREAM_LIBRARY", "CLICKSTREAM_CLI"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return {
        "app_id": "python", "storage_directory": tmp_path / "store", "endpoint": "http://127.0.0.1:9/collect",
        "configuration": {"autoFlushEventsInterval": 0},
    }
