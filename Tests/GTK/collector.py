"""The local collector, as the server of all formats."""

import json
import os
import signal
import subprocess
import time
import urllib.request

from desktop import wait_until
from formats import FORMATS
from program import ROOT

CLI = os.environ.get("CLICKSTREAM_CLI") or os.path.join(ROOT, ".build/debug/clickstream-cli")


class Collector:
    """Context manager."""

    def __init__(self, folder):
        self.store = os.path.join(folder, f"events-{time.monotonic_ns()}.sqlite")

    def __enter__(self):
        self.process = subprocess.Popen(
            [CLI, "collect", "--format", "json", "--port", "0", "--store", self.store],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        facts = json.loads(self.process.stdout.readline())
        self.url, self.endpoint = facts["url"], facts["endpoint"]
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def environment(self, app="gtk_test"):
        """Variables of a captured program: all formats, sent at once."""
        variables = {"CLICKSTREAM_APP_ID": app, "CLICKSTREAM_COLLECTOR": self.url}
        for form in FORMATS.values():
            variables |= form.environment(self.url)
        return variables

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return json.load(response)

    def rows(self, form):
        """All received events of a format, with their findings, in the order of arrival."""
        query = FORMATS[form].QUERY
        rows, cursor = [], None
        while True:
            page = self.get(query + (f"&cursor={cursor}" if cursor else ""))
            rows += page["events"]
            cursor = page.get("next")
            if not cursor or not page["events"]:
                return rows

    def events(self, form):
        """All received events of a format in the order of time; fails if the collector has findings."""
        rows = self.rows(form)
        bad = [(row["event"], row["violations"]) for row in rows if row["status"] != "good"]
        assert not bad, f"findings of the collector in {form}: {bad[:3]}"
        events = [row["event"] for row in rows]
        ids = [FORMATS[form].identity(event) for event in events]
        assert len(ids) == len(set(ids)), f"{form}: duplicates"
        return sorted(events, key=FORMATS[form].time)

    def wait_for(self, form, condition, seconds=15.0):
        """Waits until the received events meet a condition, and returns them."""
        def result():
            events = self.events(form)
            return events if condition(events) else None

        return wait_until(result, seconds, what=f"events of {form}")
