"""Compares the sessions of Docs/Examples/spark/sessions.py with those that the collector tells, field by field."""

import collections
import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import traffic

ROOT = pathlib.Path(__file__).parents[2]
CLI = os.environ.get("CLI", ROOT / ".build/debug/clickstream-cli")
JOB = ROOT / "Docs/Examples/spark/sessions.py"
SUMMARY = ["requests", "bad_requests", "events", "duplicates", "sessions", "users"]

# In the order in which the job looks for them. The two of OF_PARTS are said of an event's attributes and user too.
PROBLEMS = ["etl_not_an_object", "etl_missing_event_id", "etl_missing_app_id", "etl_missing_timestamp",
            "etl_not_an_integer", "etl_missing_event_type", "etl_time_unit", "etl_future", "etl_stale"]
OF_PARTS = ["etl_not_an_object", "etl_not_an_integer"]
IN_WHOLE = ["event", "timestamp", "screen_height", "screen_width", "zone_offset", "event_previous_timestamp",
            "viewport_width", "viewport_height"]


class Collector:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [CLI, "collect", "--port", "0", "--format", "json", "--store", folder / "store.sqlite",
             "--archive", folder / "archive"],
            stdout=subprocess.PIPE, text=True,
        )
        announcement = json.loads(self.process.stdout.readline())
        self.url, self.port, self.endpoint = announcement["url"], announcement["port"], announcement["endpoint"]

    def read(self, path):
        with urllib.request.urlopen(self.url + path) as reply:
            return json.load(reply)

    def pages(self, path, name):
        cursor = ""
        while True:
            page = self.read(f"{path}limit=1000&cursor={cursor}")
            yield from page[name]
            cursor = page["next"]
            if cursor is None:
                return

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)


def main():
    with tempfile.TemporaryDirectory(prefix="clickstream-scaling-") as name:
        folder = pathlib.Path(name)
        sent = timed("sent", lambda: traffic_into(folder))
        archive = folder / "archive"
        files = sorted(archive.rglob("*.log.gz"))
        print(f"archive: {sum(count(file) for file in files)} requests in {len(files)} files")
        compare("as written", sent, *run(archive, folder / "sessions"))
        spread(archive, folder / "spread")
        compare("spread over hours", sent, *run(folder / "spread", folder / "sessions-spread"))


def traffic_into(folder):
    collector = Collector(folder)
    try:
        for script in sorted((ROOT / "Docs/Examples").glob("*.yaml")):
            subprocess.run(
                [CLI, "replay", script, "--endpoint", collector.endpoint, "--users", "5", "--format", "json"],
                check=True, stdout=subprocess.DEVNULL,
            )
        sender = traffic.Sender(collector.port)
        traffic.people(sender, count=40, sessions=6, seed=5)
        traffic.errors(sender)
        events = list(collector.pages("/api/events?", "events"))
        return {
            "sessions": list(collector.pages("/api/sessions?", "sessions")),
            "summary": collector.read("/api/summary"),
            "problems": collections.Counter(filter(None, map(problem_of, events))),
        }
    finally:
        collector.stop()


def problem_of(event):
    """Of what the collector finds, what makes the job leave an event out: the first, in the order of its checks."""
    found = {violation["code"] for violation in event["violations"] if violation["subject"] == "event"
             and (violation["name"] in IN_WHOLE or violation["code"] not in OF_PARTS)}
    return next((problem for problem in PROBLEMS if problem in found), None)


def count(file):
    with gzip.open(file, "rt") as lines:
        return sum(1 for _ in lines)


def run(archive, output):
    """Runs the job as its documentation says, on one machine with little memory."""
    command = [
        pathlib.Path(sys.executable).with_name("spark-submit"), "--master", "local[2]", "--driver-memory", "512m",
        "--conf", "spark.sql.shuffle.partitions=2", "--conf", "spark.ui.enabled=false",
        JOB, archive, "--output", output, "--format", "json", "--summary",
    ]
    environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    done = timed("job", lambda: subprocess.run(command, env=environment, capture_output=True, text=True, cwd=output.parent))
    if done.returncode:
        sys.exit(done.stderr[-4_000:])
    rows = [json.loads(line) for part in output.glob("part-*.json") for line in part.open()]
    return rows, json.loads(done.stdout.splitlines()[-1])


def compare(what, sent, rows, summary):
    ours, theirs = by_key(rows), by_key(sent["sessions"])
    differences = [(f"session {key}", ours.get(key), theirs.get(key)) for key in ours.keys() | theirs.keys()]
    differences += [(name, summary[name], sent["summary"][name]) for name in SUMMARY]
    differences += [(name, summary["problems"].get(name, 0), sent["problems"][name]) for name in PROBLEMS]
    differences = [(name, mine, other) for name, mine, other in differences if mine != other]
    for name, mine, other in differences[:10]:
        print(f"{name}\n  job       {json.dumps(mine)}\n  collector {json.dumps(other)}")
    if differences or len(rows) != len(sent["sessions"]):
        sys.exit(f"{what}: {len(differences)} differences between the job and the collector")
    print(f"{what}: {len(ours)} sessions are the same, {json.dumps(summary)}")


def by_key(sessions):
    return {(session["app_id"], session["id"]): session for session in sessions}


def spread(archive, target):
    """The same requests as if they had come over three days: folder by folder, without the order of the files."""
    lines = [line for file in sorted(archive.rglob("*.log.gz")) for line in gzip.open(file, "rt")]
    folders = collections.defaultdict(list)
    for line in lines:
        # What came in one millisecond stays together: its order is that of the lines.
        moment = hash(json.loads(line)["timestamp"])
        folders[moment % 72, moment % 2].append(line)
    for (hour, part), lines in folders.items():
        folder = target / f"year=2026/month=11/day={hour // 24 + 1:02}/hour={hour % 24:02}"
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(folder / f"{1_800_000_000 - hour}-part{part}.log.gz", "wt") as file:
            file.writelines(lines)


def timed(what, work):
    begin = time.monotonic()
    result = work()
    print(f"{what}: {time.monotonic() - begin:.1f} s")
    return result


if __name__ == "__main__":
    main()
