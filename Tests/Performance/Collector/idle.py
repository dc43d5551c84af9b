"""Opens idle connections to a collector and measures it without and with them; see `idle`, which starts it.

Usage: idle.py FOLDER PROCESS CONNECTIONS SECONDS LOAD-SCRIPT
"""
import json
import os
import resource
import select
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

# Per address of ours; the system has some 28 000 ports for each.
MOST_PER_ADDRESS = 20_000
# What a client may have said before it fell silent.
BEGINNINGS = [b"", b"POST /collect?appId=shop HTTP/1.1\r\nHost: localhost\r\n", b"POST /collect?appId=shop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n["]


def row(name, value, unit, limit=None):
    print(json.dumps({"name": name, "value": value, "unit": unit, "limit": limit, "rival": None}), flush=True)


def main():
    folder, process, count, seconds, script = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    url = json.loads(open(f"{folder}/out").readline())["url"]
    port = urllib.parse.urlsplit(url).port
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count + 200:
        sys.exit(f"the system lets a process open {hard} files only: raise it, or ask for fewer connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 200, hard))
    failures = []

    def check(holds, text):
        if not holds:
            failures.append(text)

    def resident():
        return next(int(line.split()[1]) for line in open(f"/proc/{process}/status") if line.startswith("VmRSS"))

    def metric(name):
        with urllib.request.urlopen(url + "/metrics", timeout=30) as reply:
            return next(float(line.split()[-1]) for line in reply.read().decode().splitlines() if line.startswith(name + " "))

    bodies = iter([f"{folder}/first", f"{folder}/second"])
    with open(f"{folder}/bodies", "rb") as all_bodies:
        lines = all_bodies.readlines()
    for half, name in enumerate(["first", "second"]):
        with open(f"{folder}/{name}", "wb") as file:
            file.writelines(lines[half::2])

    def load():
        told = subprocess.run(
            ["wrk", "-t2", "-c50", f"-d{seconds}s", "-s", script, url, "--", next(bodies), "2"],
            capture_output=True, text=True, check=True,
        ).stdout
        return json.loads([line for line in told.splitlines() if line.startswith("{")][-1])

    def rate(report, events):
        return round((metric('clickstream_collector_events_total{status="good"}') - events) / report["seconds"])

    alone = load()
    rate_alone = rate(alone, 0)
    before = resident()

    began = time.monotonic()
    idle = []
    for number in range(count):
        client = socket.socket()
        client.bind((f"127.0.0.{2 + number // MOST_PER_ADDRESS}", 0))
        client.settimeout(30)
        client.connect(("127.0.0.1", port))
        beginning = BEGINNINGS[number % 3]
        if beginning:
            client.send(beginning)
        idle.append(client)
    opened = time.monotonic() - began
    while metric("clickstream_collector_connections") < count and time.monotonic() - began < 50:
        time.sleep(0.1)
    held = metric("clickstream_collector_connections")
    check(held >= count, f"only {held:.0f} of {count} connections were taken")
    each = (resident() - before) / count
    events = metric('clickstream_collector_events_total{status="good"}')
    beside = load()
    rate_beside = rate(beside, events)
    check(metric("clickstream_collector_connections") >= count, "connections were ended before their time")
    after = resident()

    # All of them are silent for longer than they may be soon.
    poll = select.epoll()
    for client in idle:
        poll.register(client.fileno(), select.EPOLLRDHUP | select.EPOLLHUP)
    left = count
    while left and time.monotonic() - began < 150:
        for descriptor, _ in poll.poll(1):
            poll.unregister(descriptor)
            left -= 1
    check(left == 0, f"{left} silent connections were still there after {time.monotonic() - began:.0f} s")
    released = time.monotonic() - began
    check(metric("clickstream_collector_connections") < 50, "ended connections are still counted")

    check(metric('clickstream_collector_events_total{status="good"}') < 100 * len(lines), "there were too few bodies to send")
    errors = sum(report["errors"] + report["non_2xx"] for report in (alone, beside))
    check(errors == 0, f"{errors} requests failed")
    # A machine with other things to do is not a fault of idle connections; half as much would be.
    check(rate_beside > rate_alone / 2, "the rate was halved")
    check(beside["p99_ms"] < 5 * alone["p99_ms"] + 50, "answers came much later")
    row("idle connections", int(held), "connections")
    row("idle connections, opening all", round(opened, 2), "s")
    row("idle connection, resident", round(each, 2), "KB", 40)
    row("collector ingest, alone", rate_alone, "events/s")
    row("collector ingest, beside idle connections", rate_beside, "events/s")
    row("collector answer alone, median", alone["p50_ms"], "ms")
    row("collector answer beside idle connections, median", beside["p50_ms"], "ms")
    row("collector answer alone, 99 of 100", alone["p99_ms"], "ms")
    row("collector answer beside idle connections, 99 of 100", beside["p99_ms"], "ms")
    row("collector resident beside idle connections, under load", after, "KB")
    row("idle connections let go of after", round(released, 1), "s")
    row("collector errors beside idle connections", errors, "requests", 0)
    check(each < 40, f"an idle connection takes {each:.1f} KB")
    os.kill(process, 15)
    for failure in failures:
        print(failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
