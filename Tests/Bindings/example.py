"""Examples of the documentation, each run in a folder of its own with a collector on a free port."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
results = {"passed": 0, "failed": 0}


def check(holds, text):
    results["passed" if holds else "failed"] += 1
    if not holds:
        print(f"FAILED: {text}", file=sys.stderr)


def end():
    """Ends the process with the numbers of what has held."""
    print("{passed} passed, {failed} failed".format(**results))
    sys.exit(results["failed"] != 0)


class Example:
    """
    Context manager of a collector, and of a copy of a source that sends to it in place of port 9090. Programs that are started use its
    store, and the library in CLICKSTREAM_LIBRARY if that is set.
    """

    def __init__(self, source, cli, folder):
        self.name, self.folder = source.name, folder / source.name
        self.folder.mkdir()
        self.source = self.folder / source.name
        self.collector = subprocess.Popen([cli, "collect", "--port", "0", "--store", self.folder / "events.sqlite"], stdout=subprocess.PIPE,
                                          stderr=subprocess.DEVNULL, text=True)
        self.address = json.loads(self.collector.stdout.readline())
        self.source.write_text(source.read_text().replace("http://127.0.0.1:9090/collect", self.address["endpoint"]))
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("CLICKSTREAM_") or key == "CLICKSTREAM_LIBRARY"}
        self.environment["CLICKSTREAM_STORAGE_DIRECTORY"] = str(self.folder / "store")

    def start(self, *command, **options):
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True, **options)

    def run(self, *command):
        """Runs a program, which has to succeed. Returns its output."""
        process = self.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output, errors = process.communicate(timeout=60)
        check(process.returncode == 0, f"{self.name} ends with {process.returncode}: {output}{errors}")
        return output

    def events(self):
        with urllib.request.urlopen(f"{self.address['url']}/api/events?limit=10000") as answer:
            return [element["event"] for element in json.load(answer)["events"]]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.collector.send_signal(signal.SIGINT)
        self.collector.wait(timeout=20)
