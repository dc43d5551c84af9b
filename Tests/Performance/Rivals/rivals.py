"""What other SDKs take for an event like the manual's sample: putting it in line, in memory alone, and sending it to a server on
this machine that does nothing but read.

usage: rivals.py <scale>

While events are put in line nothing is sent: the threads that do it start afterwards, so that they take no time from the
caller. That is the kindest way to measure these SDKs. None of them keeps an event over the death of its process.
"""
import json
import logging
import os
import socket
import subprocess
import sys
import threading
import time

ATTRIBUTES = {
    "category": "shoes", "currency": "CNY", "event_category": "recommended", "price": 279.9, "count": 3, "is_member": True,
    "product_name": "trail runner", "position": 4,
}
# What the sample event has besides: the app, the device and the user.
COMMON = {
    "app": {"name": "Example", "namespace": "com.example.app", "version": "1.0"},
    "device": {"id": "F5B1CE5C-8ED9-4A45-B6FA-7D6B3B0A9F3C", "manufacturer": "apple", "model": "iPhone 14 Pro"},
    "locale": "zh_CN", "network": {"carrier": "CDMA"}, "os": {"name": "Linux", "version": "6.1"},
    "screen": {"width": 1170, "height": 2532}, "traits": {"name": "carl", "age": 32, "gender": "male"},
}


def serve():
    """A server in a process of its own: reads requests, answers 200. Prints its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def answer(connection):
        held = b""
        while True:
            while b"\r\n\r\n" not in held:
                more = connection.recv(262_144)
                if not more:
                    return
                held += more
            head, rest = held.split(b"\r\n\r\n", 1)
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            missing = length - len(rest)
            while missing > 0:
                missing -= len(connection.recv(262_144)) or missing
            held = b""
            connection.sendall(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 16\r\n\r\n" + b'{"status": "Ok"}'
            )

    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=answer, args=(connection,), daemon=True).start()


class Segment:
    name = "Segment for Python"

    def __init__(self, port, max_count):
        from segment.analytics.client import Client
        from segment.analytics.consumer import Consumer

        self.start, Consumer.start = Consumer.start, lambda consumer: None
        self.client = Client("key", host=f"http://127.0.0.1:{port}", max_queue_size=max_count, gzip=False)
        Consumer.start = self.start

    def record(self):
        self.client.track("13212", "add_to_cart", ATTRIBUTES, context=COMMON)

    def flush(self):
        for consumer in self.client.consumers:
            self.start(consumer)
        self.client.flush()


class PostHog:
    name = "PostHog for Python"

    def __init__(self, port, max_count):
        from posthog import Posthog
        from posthog.consumer import Consumer

        self.start, Consumer.start = Consumer.start, lambda consumer: None
        self.client = Posthog("key", host=f"http://127.0.0.1:{port}", max_queue_size=max_count, gzip=False)
        self.properties = dict(ATTRIBUTES, **COMMON)
        self.record()
        Consumer.start = self.start

    def record(self):
        self.client.capture("add_to_cart", distinct_id="13212", properties=self.properties)

    def flush(self):
        for consumer in self.client.consumers:
            self.start(consumer)
        self.client.flush()


class Snowplow:
    name = "Snowplow for Python"

    def __init__(self, port, max_count):
        from snowplow_tracker import Emitter, SelfDescribing, SelfDescribingJson, Subject, Tracker

        self.emitter = Emitter("127.0.0.1", protocol="http", port=port, batch_size=max_count, buffer_capacity=max_count)
        self.tracker = Tracker("sample", self.emitter, subject=Subject().set_user_id("13212"), app_id="sample")
        self.event, self.json = SelfDescribing, SelfDescribingJson
        self.context = [SelfDescribingJson("iglu:com.example/context/jsonschema/1-0-0", COMMON)]

    def record(self):
        self.tracker.track(
            self.event(self.json("iglu:com.example/add_to_cart/jsonschema/1-0-0", ATTRIBUTES), context=self.context)
        )

    def flush(self):
        self.emitter.flush()


def report(name, value, unit):
    print(json.dumps({"name": name, "value": round(value, 1), "unit": unit, "limit": None, "rival": None}), flush=True)


def measure(rival, count):
    durations = []
    for _ in range(count):
        start = time.perf_counter_ns()
        rival.record()
        durations.append(time.perf_counter_ns() - start)
    start = time.perf_counter()
    rival.flush()
    took = time.perf_counter() - start
    total = sum(durations) / 1e9
    durations.sort()
    report(f"{rival.name}, record, p50", durations[count // 2], "ns")
    report(f"{rival.name}, record, p99", durations[int(count * 0.99)], "ns")
    report(f"{rival.name}, record, in memory alone", count / total, "events/s")
    report(f"{rival.name}, flush on loopback", count / took, "events/s")
    shares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999]
    points = [[share * 100, durations[int(share * count)]] for share in shares if (1 - share) * count >= 4]
    print(json.dumps({"picture": "record latency", "series": f"{rival.name}, in memory", "points": points}), flush=True)


def main():
    if sys.argv[1:] == ["serve"]:
        return serve()
    logging.disable(logging.CRITICAL)
    count = max(500, int(10_000 * float(sys.argv[1])))
    server = subprocess.Popen([sys.executable, os.path.abspath(__file__), "serve"], stdout=subprocess.PIPE, text=True)
    missing = []
    try:
        port = int(server.stdout.readline())
        for rival in (Snowplow, PostHog, Segment):
            try:
                measure(rival(port, count * 2), count)
            except Exception as error:  # The others are worth measuring.
                missing.append(f"{rival.name}: {error!r}")
    finally:
        server.kill()
        server.wait()
    sys.stdout.flush()
    if missing:
        print("; ".join(missing), file=sys.stderr, flush=True)
    # Some of them keep threads that nothing ends.
    os._exit(70 if missing else 0)


if __name__ == "__main__":
    main()
