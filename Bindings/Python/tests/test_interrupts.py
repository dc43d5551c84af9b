"""Signals that arrive while the main thread waits for the library."""
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from clickstream import Client, ClickstreamError

#: Program that waits for a server that never answers, until a signal arrives after 0.3 s.
PROGRAM = """
    import os, signal, socket, sys, threading, time, clickstream

    server = socket.create_server(("127.0.0.1", 0))
    client = clickstream.Client(
        {"autoFlushEventsInterval": 0}, app_id="python", storage_directory=sys.argv[1],
        endpoint=f"http://127.0.0.1:{server.getsockname()[1]}/collect",
    )
    class Alarm(Exception):
        pass
    def alarm(number, frame):
        raise Alarm
    signal.signal(signal.SIGALRM, alarm)
    for n in range(3):
        client.record("kept", {"n": n})
    sent_at = []
    def send(number):
        time.sleep(0.3)
        sent_at.append(time.monotonic())
        os.kill(os.getpid(), number)
    def interrupted(body, error=KeyboardInterrupt, number=signal.SIGINT):
        thread = threading.Thread(target=send, args=(number,))
        thread.start()
        try:
            body()
        except error:
            took = time.monotonic() - sent_at.pop()
            assert took < 0.2, f"{took} s after the signal"
        else:
            raise SystemExit("not interrupted")
        thread.join()
    def context(timeout=None):
        with client:
            if timeout is not None:
                client.flush(timeout)
"""

WAITS = {
    "flush(20)": "interrupted(lambda: client.flush(20))",
    "flush()": "interrupted(client.flush)",
    "close(20)": "interrupted(lambda: client.close(20))",
    "end of a context": "interrupted(context)",
    "flush in a context": "interrupted(lambda: context(20))",
    "another signal": "interrupted(client.flush, Alarm, signal.SIGALRM)",
    "flush, flush, close": "interrupted(client.flush); interrupted(lambda: client.flush(20)); interrupted(lambda: client.close(20))",
    "close, close": "interrupted(lambda: client.close(20)); client.close(); client.close(20)",
    "flush, record, close": "interrupted(client.flush); client.record('kept', {'n': 3}); client.close()",
    "flush, not closed": "interrupted(client.flush); client.record('kept', {'n': 3})",
    "close, new client": (
        "interrupted(lambda: client.close(20)); clickstream.Client({'autoFlushEventsInterval': 0}, app_id='python',"
        " storage_directory=sys.argv[1]).record('kept', {'n': 3})"
    ),
    "observer": "client.observe(lambda notice: None); interrupted(lambda: client.close(20))",
    "middleware": "client.add_middleware('keep', lambda draft: draft); interrupted(lambda: client.close(20))",
}


@pytest.mark.parametrize("wait", WAITS)
def test_a_signal_ends_a_wait_and_no_event_is_lost(settings, collector, wait):
    program = textwrap.dedent(PROGRAM) + WAITS[wait] + "\nprint('ended')\n"
    process = subprocess.run(
        [sys.executable, "-c", program, settings["storage_directory"]], capture_output=True, text=True, timeout=30
    )
    assert (process.returncode, process.stdout) == (0, "ended\n"), process.stderr
    settings["endpoint"] = collector.endpoint
    with Client(**settings) as client:
        assert client.flush(20).is_complete
    numbers = [event["attributes"]["n"] for event in collector.events("kept")]
    assert sorted(numbers) == list(range(4 if "{'n': 3}" in WAITS[wait] else 3))


def test_a_program_ends_soon_after_an_interrupt(settings):
    program = textwrap.dedent(PROGRAM) + "threading.Thread(target=send, args=(signal.SIGINT,)).start()\nclient.flush()\n"
    begin = time.monotonic()
    process = subprocess.run(
        [sys.executable, "-c", program, settings["storage_directory"]], capture_output=True, text=True, timeout=30
    )
    # Two seconds are for the request in flight.
    assert process.stderr.endswith("KeyboardInterrupt\n") and time.monotonic() - begin < 5


def test_signals_that_raise_nothing_do_not_end_a_wait(settings, collector):
    settings["endpoint"] = collector.endpoint
    program = textwrap.dedent(PROGRAM) + textwrap.dedent("""
        signal.signal(signal.SIGALRM, lambda number, frame: print("alarm"))
        threading.Thread(target=send, args=(signal.SIGALRM,)).start()
        report = client.flush(1)
        assert report.sent == 0 and report.retained > 0 and report.message, report
    """)
    process = subprocess.run(
        [sys.executable, "-c", program, settings["storage_directory"]], capture_output=True, text=True, timeout=30
    )
    assert (process.returncode, process.stdout) == (0, "alarm\n"), process.stderr


def test_a_callback_may_not_wait_on_any_thread(settings):
    client = Client(**settings)
    statuses = []

    def observer(notice):
        for call in (lambda: client.flush(1), client.flush, lambda: client.close(1), client.close):
            with pytest.raises(ClickstreamError) as refused:
                call()
            statuses.append(refused.value.status)

    client.observe(observer)
    client.record("main")
    thread = threading.Thread(target=client.record, args=("other",))
    thread.start()
    thread.join(10)
    assert statuses == [15] * 8
    client.close()


def test_without_a_thread_the_call_is_made_directly(settings, monkeypatch):
    def refused(thread):
        raise RuntimeError("can't start new thread")

    client = Client(**settings)
    client.record("kept")
    monkeypatch.setattr(threading.Thread, "start", refused)
    assert client.flush(0.1).retained > 0
    client.close()


def test_other_threads_wait_themselves(settings, collector, monkeypatch):
    settings["endpoint"] = collector.endpoint
    client, reports = Client(**settings), []

    def work():
        with monkeypatch.context() as patch:
            patch.delattr(threading, "Thread")
            reports.append(client.flush(10))
            reports.append(client.close(10))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert [report.is_complete for report in reports] == [True, True]
