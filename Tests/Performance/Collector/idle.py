"""Loads two collectors in turns, one of which has idle connections; see `idle`, which starts it.

Usage: idle.py FOLDER COLLECTOR CONNECTIONS PAIRS SECONDS LOAD-SCRIPT
"""
import json
import os
import resource
import select
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request

# Per address of ours; the system has some 28 000 ports for each.
MAX_PER_ADDRESS = 20_000
# What a client may have said before it fell silent.
BEGINNINGS = [b"", b"POST /collect?appId=shop HTTP/1.1\r\nHost: localhost\r\n", b"POST /collect?appId=shop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n["]
# Seconds after which the first of them may be ended.
TIMEOUT = 60

folder, cli, count, pairs, seconds, script = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6]
failures = []


def row(name, value, unit, limit=None, rival=None):
    print(json.dumps({"name": name, "value": value, "unit": unit, "limit": limit, "rival": rival}), flush=True)


def check(holds, text):
    if not holds:
        failures.append(text)


class Collector:
    def __init__(self, name):
        output = f"{folder}/{name}.out"
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self.process = subprocess.Popen(
            [cli, "collect", "--port", "0", "--store", f"{folder}/{name}.sqlite"],
            stdout=open(output, "w"), stderr=open(f"{folder}/{name}.err", "w"),
            # As a shell has it: the collector raises it itself.
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (min(1_024, hard), hard)),
        )
        while not os.path.getsize(output):
            if self.process.poll() is not None:
                sys.exit(open(f"{folder}/{name}.err").read())
            time.sleep(0.05)
        self.url = json.loads(open(output).readline())["url"]
        self.port = urllib.parse.urlsplit(self.url).port
        self.reports = []

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def resident(self):
        lines = open(f"/proc/{self.process.pid}/status")
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

    def processor_time(self):
        words = open(f"/proc/{self.process.pid}/stat").read().rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def metric(self, name):
        with urllib.request.urlopen(self.url + "/metrics", timeout=30) as reply:
            lines = reply.read().decode().splitlines()
        return next(float(line.split()[-1]) for line in lines if line.startswith(name + " "))

    def connections(self):
        return self.metric("clickstream_collector_connections")

    def load(self, number):
        """Takes what wrk says of one load, with the rate and the processor time for an event."""
        events = self.metric('clickstream_collector_events_total{status="good"}')
        used = self.processor_time()
        bodies = f"{folder}/bodies.{number:03}"
        output = subprocess.run(
            ["wrk", "-t2", "-c50", f"-d{seconds}s", "-s", script, self.url, "--", bodies, "2"],
            capture_output=True, text=True, check=True,
        ).stdout
        report = json.loads([line for line in output.splitlines() if line.startswith("{")][-1])
        used = self.processor_time() - used
        events = self.metric('clickstream_collector_events_total{status="good"}') - events
        check(events < 100 * seconds * 1_600, "there were too few bodies to send")
        report["rate"] = events / report["seconds"]
        report["cost"] = used * 1e6 / events
        self.reports.append(report)

    def middle(self, of):
        return statistics.median(report[of] for report in self.reports)


def open_idle(collector):
    idle = []
    for number in range(count):
        client = socket.socket()
        client.bind((f"127.0.0.{2 + number // MAX_PER_ADDRESS}", 0))
        client.settimeout(30)
        client.connect(("127.0.0.1", collector.port))
        if BEGINNINGS[number % 3]:
            client.send(BEGINNINGS[number % 3])
        idle.append(client)
    return idle


def wait_for_release(collector, idle, began):
    """All of them are silent for longer than they may be soon."""
    poll = select.epoll()
    for client in idle:
        poll.register(client.fileno(), select.EPOLLRDHUP | select.EPOLLHUP)
    left = count
    while left and time.monotonic() - began < 150:
        for descriptor, _ in poll.poll(1):
            poll.unregister(descriptor)
            left -= 1
    check(left == 0, f"{left} silent connections were still there after {time.monotonic() - began:.0f} s")
    row("idle connections let go of after", round(time.monotonic() - began, 1), "s")
    check(collector.connections() < 50, "ended connections are still counted")


def compare(name, beside, alone, of, unit, digits):
    """A row of what is measured beside idle connections, held against the median of the pairs; and how far those lie apart."""
    ratios = sorted(second[of] / first[of] for first, second in zip(alone.reports, beside.reports))
    value = beside.middle(of)
    row(f"{name}, alone", round(alone.middle(of), digits), unit)
    row(f"{name}, beside {count} idle connections", round(value, digits), unit, value / statistics.median(ratios), "alone")
    row(f"{name}, least of {pairs} pairs", round(ratios[0], 3), "x")
    row(f"{name}, greatest of {pairs} pairs", round(ratios[-1], 3), "x")
    return statistics.median(ratios)


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 200:
        print(f"the system lets a process open {hard} files only: raise it, or ask for fewer connections", file=sys.stderr)
        sys.exit(69)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 200, hard))
    alone, beside = Collector("alone"), Collector("beside")
    try:
        before = beside.resident()
        began = time.monotonic()
        idle = open_idle(beside)
        opened = time.monotonic() - began
        while beside.connections() < count and time.monotonic() - began < 20:
            time.sleep(0.1)
        held = beside.connections()
        check(held >= count, f"only {held:.0f} of {count} connections were taken")
        each = (beside.resident() - before) / count
        for number in range(pairs):
            # The other one first in each second pair, so that neither has the fresher machine.
            for collector in (alone, beside) if number % 2 == 0 else (beside, alone):
                collector.load(number)
        took = time.monotonic() - began
        check(took < TIMEOUT, f"the loads took {took:.0f} s, longer than connections may be silent: ask for fewer pairs")
        check(beside.connections() >= count, "connections were ended before their time")
        row("idle connections", int(held), "connections")
        row("idle connections, opening all", round(opened, 2), "s")
        row("idle connection, resident", round(each, 2), "KB", 40)
        row("collector resident beside idle connections, under load", beside.resident(), "KB")
        check(each < 40, f"an idle connection takes {each:.1f} KB")
        wait_for_release(beside, idle, began)
    finally:
        alone.stop()
        beside.stop()

    rate = compare("collector rate", beside, alone, "rate", "events/s", 0)
    compare("collector processor time an event", beside, alone, "cost", "us", 2)
    for name, collector in (("alone", alone), ("beside idle connections", beside)):
        row(f"collector answer {name}, median", collector.middle("p50_ms"), "ms")
        row(f"collector answer {name}, 99 of 100", collector.middle("p99_ms"), "ms")
    errors = sum(report["errors"] + report["non_2xx"] for report in alone.reports + beside.reports)
    row("collector errors beside idle connections", errors, "requests", 0)
    check(errors == 0, f"{errors} requests failed")
    # A machine with other things to do is not a fault of idle connections; half as much would be.
    check(rate > 0.5, "the rate was halved")
    check(beside.middle("p99_ms") < 5 * alone.middle("p99_ms") + 50, "answers came much later")
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
