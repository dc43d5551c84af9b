"""Recording by this package against the PyPI clients of Segment, PostHog and Snowplow, in one run.

Usage: bench.py [COUNT]. Each client records COUNT events (default 2 000) with its default settings, in a process of its own, and
sends to one server on this machine that only reads; the processes take turns, five each. The time is that of the recording calls.
A second table has the times while nothing is sent, where the other clients only append to a list in memory, and this package writes
each event to the system's page cache. Fails if this package is not ten times as fast as each in both.
"""
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
RIVALS = ROOT / "Tests/Performance/Rivals"
sys.path.insert(0, str(RIVALS))
import rivals  # noqa: E402

ROUNDS = 5


class Clickstream:
    name = "clickstream"

    def __init__(self, port, sends):
        import clickstream

        interval = {} if sends else {"autoFlushEventsInterval": 0}
        self.client = clickstream.Client(
            interval, app_id="bench", endpoint=f"http://127.0.0.1:{port}/collect", storage_directory=tempfile.mkdtemp()
        )
        self.client.set_user_id("13212")

    def record(self):
        self.client.record("add_to_cart", rivals.ATTRIBUTES)


class Segment(rivals.Segment):
    def __init__(self, port, sends):
        from segment.analytics.client import Client

        if not sends:
            return super().__init__(port, 100_000)
        self.client = Client("key", host=f"http://127.0.0.1:{port}")


class PostHog(rivals.PostHog):
    def __init__(self, port, sends):
        from posthog import Posthog

        if not sends:
            return super().__init__(port, 100_000)
        self.client = Posthog("key", host=f"http://127.0.0.1:{port}")
        self.properties = dict(rivals.ATTRIBUTES, **rivals.COMMON)


class Snowplow(rivals.Snowplow):
    def __init__(self, port, sends):
        super().__init__(port, 100_000)
        if sends:
            from snowplow_tracker import Emitter, Subject, Tracker

            emitter = Emitter("127.0.0.1", protocol="http", port=port)
            self.tracker = Tracker("sample", emitter, subject=Subject().set_user_id("13212"), app_id="sample")


SUBJECTS = {subject.__name__: subject for subject in (Clickstream, Segment, PostHog, Snowplow)}


def measure(name, port, sends, count):
    logging.disable(logging.CRITICAL)
    subject = SUBJECTS[name](port, sends)
    for _ in range(20):
        subject.record()
    start = time.perf_counter_ns()
    for _ in range(count):
        subject.record()
    print(json.dumps((time.perf_counter_ns() - start) / count / 1000), flush=True)
    # The others have threads that nothing ends.
    os._exit(0)


def main():
    if sys.argv[1:2] == ["measure"]:
        return measure(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "sends", int(sys.argv[5]))
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    server = subprocess.Popen([sys.executable, RIVALS / "rivals.py", "serve"], stdout=subprocess.PIPE, text=True)
    passed = failed = 0
    try:
        port = server.stdout.readline().strip()
        for mode, title in (("sends", "with sending, default settings"), ("keeps", "nothing is sent")):
            times = {name: [] for name in SUBJECTS}
            for _ in range(ROUNDS):
                for name in SUBJECTS:
                    run = subprocess.run([sys.executable, "-W", "ignore", __file__, "measure", name, port, mode, str(count)],
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
                    times[name].append(json.loads(run.stdout))
            print(f"{title}: µs per event, median of {ROUNDS} processes")
            median = {name: sorted(values)[ROUNDS // 2] for name, values in times.items()}
            for name, value in median.items():
                ratio = value / median["Clickstream"]
                verdict = ""
                if name != "Clickstream":
                    verdict = "met" if ratio >= 10 else "NOT MET"
                    passed, failed = passed + (ratio >= 10), failed + (ratio < 10)
                print(f"  {name:12} {value:8.1f}  {ratio:6.1f} x  {verdict}", flush=True)
    finally:
        server.kill()
        server.wait()
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
