"""Python program that records EVENTS events named `tap`, and ends. Tests/Bindings/hosts/run runs it.

usage: host.py STORE APP ENDPOINT record|observe|flush|log|threads|middleware|fork|processes close|none|raise
"""
import logging
import multiprocessing
import os
import sys
import threading
import time

import clickstream

EVENTS = 20
store, app, endpoint, what, end = sys.argv[1:]


def opened():
    return clickstream.Client({"autoFlushEventsInterval": 0}, app_id=app, endpoint=endpoint, storage_directory=store)


def work(count):
    own = opened()
    for _ in range(count):
        own.record("tap")


client = opened()
seen = []


def forever():
    while True:
        client.record("late")
        time.sleep(0.001)


if what == "observe":
    client.observe(seen.append)
if what == "middleware":
    client.add_middleware("keep", lambda draft: draft)
    threading.Thread(target=forever, daemon=True).start()
if what == "threads":
    threads = [threading.Thread(target=lambda: [client.record("tap") for _ in range(EVENTS // 4)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if end != "close":
        threading.Thread(target=forever, daemon=True).start()
elif what == "fork":
    for _ in range(EVENTS // 2):
        client.record("tap")
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    client = opened()
    for _ in range(EVENTS // 2):
        client.record("tap")
elif what == "processes":
    children = [multiprocessing.get_context("fork").Process(target=work, args=(EVENTS // 4,)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join()
        assert child.exitcode == 0, "a child process failed"
elif what == "log":
    logging.getLogger().addHandler(clickstream.ClickstreamHandler(client, event="tap"))
    for number in range(EVENTS):
        logging.warning("message %d", number)
else:
    for number in range(EVENTS):
        client.record("tap", {"number": number})
if what == "observe":
    assert sum(notice.name == "tap" for notice in seen) == EVENTS, "an observer misses notices"
if what == "flush":
    report = client.flush(timeout=20)
    assert report.is_complete, report.message
if end == "close":
    client.close()
if end == "raise":
    raise RuntimeError("nothing catches this")
