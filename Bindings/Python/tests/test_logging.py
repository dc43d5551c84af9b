"""ClickstreamHandler: log records become events, and never those that events and notices cause."""
import asyncio
import logging
import logging.handlers
import os
import queue
import threading

import pytest

import clickstream
from clickstream import Client, ClickstreamHandler, NoticeKind

#: Log records of a callback after which a test ends a loop.
ENOUGH = 50


@pytest.fixture
def root(monkeypatch):
    """The root logger without other handlers."""
    logger = logging.getLogger()
    monkeypatch.setattr(logger, "handlers", [])
    return logger


class Recorded:
    """Names of the events that a client records, in order, and the number of lost events of log records."""

    def __init__(self, client):
        self.names, self.lost = [], 0
        client.observe(self.add)

    def add(self, notice):
        if notice.kind == NoticeKind.RECORDED:
            self.names.append(notice.name)
        self.lost += notice.kind == NoticeKind.UNSTORED and notice.name == "log"


def test_log_records_become_events(settings, collector):
    settings["endpoint"] = collector.endpoint
    log = logging.getLogger("shop.payment")
    with Client(**settings) as client:
        handler = clickstream.ClickstreamHandler(client)
        log.addHandler(handler)
        log.info("not recorded")
        log.warning("card %s", "refused")
        try:
            raise KeyError("id")
        except KeyError:
            log.exception("failed")
        log.removeHandler(handler)
    first, second = (event["attributes"] for event in collector.events("log"))
    assert (first["logger"], first["level"], first["message"]) == ("shop.payment", "WARNING", "card refused")
    assert second["exception"] == "KeyError" and second["message"].startswith("failed")


CAUSES = {
    NoticeKind.RECORDED: ({}, lambda client: client.record("tap")),
    NoticeKind.REJECTED: ({}, lambda client: client.record("not a name")),
    NoticeKind.EVICTED: ({"maxStoreEvents": 5}, lambda client: [client.record("tap") for _ in range(20)]),
    NoticeKind.UNSTORED: ({"maxStoreBytes": 100}, lambda client: client.record("tap")),
    NoticeKind.RETAINED: ({}, lambda client: client.flush(0.5)),
    NoticeKind.WARNING: ({}, lambda client: client.configure(storageDirectory="/elsewhere")),
}

WAYS = {
    "warning": lambda notice: logging.warning("notice %s: %s", notice.name, notice.text),
    "error of another logger": lambda notice: logging.getLogger("shop.payment").error(f"notice {notice.kind}"),
    "critical of the package": lambda notice: logging.getLogger("clickstream").critical("notice"),
    "exception of the callback": lambda notice: 1 / 0,
    "warnings.warn": lambda notice: logging.captureWarnings(True) or __import__("warnings").warn(f"notice {notice.text}"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", CAUSES, ids=lambda kind: kind.name)
def test_what_an_observer_logs_is_not_recorded(settings, root, kind, way):
    keys, cause = CAUSES[kind]
    settings["configuration"].update(keys)
    client = Client(**settings)
    recorded, calls = Recorded(client), []

    def observer(notice):
        if notice.kind == kind and len(calls) < ENOUGH:
            calls.append(notice)
            WAYS[way](notice)

    client.observe(observer)
    root.addHandler(ClickstreamHandler(client))
    try:
        cause(client)
        assert calls and "log" not in recorded.names and recorded.lost == 0
        # Other log records are recorded meanwhile and afterwards.
        if kind == NoticeKind.RECORDED:
            logging.warning("of the app")
            assert recorded.names.count("log") == 1
    finally:
        logging.captureWarnings(False)
        client.close()


def by_queue(log):
    """Records go through a QueueHandler, as in many servers."""
    records = queue.SimpleQueue()
    handlers, root = logging.getLogger().handlers, logging.getLogger()
    listener = logging.handlers.QueueListener(records, *handlers)
    root.handlers = [logging.handlers.QueueHandler(records)]
    listener.start()
    return log, listener.stop


def by_thread(log):
    """Notices go to another thread, which logs them."""
    notices = queue.SimpleQueue()
    thread = threading.Thread(target=lambda: [log(notice) for notice in iter(notices.get, None)], daemon=True)
    thread.start()
    return notices.put, lambda: (notices.put(None), thread.join(10))


def by_thread_and_queue(log):
    log, end_listener = by_queue(log)
    put, end_thread = by_thread(log)
    return put, lambda: (end_thread(), end_listener())


def by_event_loop(log):
    """Notices go to an asyncio event loop on another thread, which logs them."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    return (
        lambda notice: loop.call_soon_threadsafe(log, notice),
        lambda: (loop.call_soon_threadsafe(loop.call_later, 0.2, loop.stop), thread.join(10), loop.close()),
    )


@pytest.mark.parametrize(
    "through, log",
    [
        (by_queue, lambda notice: logging.warning("notice %s", notice.name)),
        (by_event_loop, lambda notice: logging.warning("notice %s", notice.name)),
        (by_thread, lambda notice: logging.warning("notice %s", notice)),
        (by_thread, lambda notice: logging.warning("notice %(it)s", {"it": notice})),
        (by_thread, lambda notice: logging.warning(notice)),
        (by_thread, lambda notice: logging.warning("notice", extra={"notice": notice})),
        (by_thread, lambda notice: logging.getLogger("clickstream.notices").warning(f"notice {notice.name}")),
        (by_thread_and_queue, lambda notice: logging.warning("notice %s", notice)),
        (by_thread_and_queue, lambda notice: logging.warning("notice", extra={"notice": notice})),
    ],
)
def test_what_an_observer_hands_over_is_not_recorded(settings, root, through, log):
    client = Client(**settings)
    recorded, calls = Recorded(client), []
    root.addHandler(ClickstreamHandler(client))
    log, end = through(log)

    def observer(notice):
        if len(calls) < ENOUGH:
            calls.append(notice)
            log(notice)

    client.observe(observer)
    client.record("tap")
    logging.warning("of the app")
    end()
    # The log record of the app causes one event, whose notice causes none.
    assert recorded.names.count("log") == 1
    client.close()


def test_what_middleware_logs_is_not_recorded(settings, root):
    client = Client(**settings)
    recorded, calls = Recorded(client), []

    def middleware(draft):
        calls.append(draft.name)
        if len(calls) < ENOUGH:
            logging.warning("event %s", draft.name)
        return draft

    client.add_middleware("log", middleware)
    root.addHandler(ClickstreamHandler(client))
    client.record("tap")
    logging.warning("of the app")
    assert calls == ["tap", "log"] == [name for name in recorded.names if name in ("tap", "log")]
    client.close()


def test_two_clients_do_not_record_each_other(settings, root, tmp_path):
    clients = [Client(**{**settings, "storage_directory": tmp_path / name}) for name in ("a", "b")]
    recorded, calls = [Recorded(client) for client in clients], []

    def observer(notice):
        if len(calls) < ENOUGH:
            calls.append(notice)
            logging.warning("notice %s", notice.text)

    for client in clients:
        client.observe(observer)
        root.addHandler(ClickstreamHandler(client))
    clients[0].record("tap")
    logging.warning("of the app")
    assert [each.names.count("log") for each in recorded] == [1, 1]
    for client in clients:
        client.close()


def test_other_threads_log_while_a_callback_runs(settings, root):
    client = Client(**settings)
    recorded, begun, logged = Recorded(client), threading.Event(), threading.Event()

    def observer(notice):
        if notice.name == "tap":
            begun.set()
            assert logged.wait(10)

    client.observe(observer)
    root.addHandler(ClickstreamHandler(client))
    thread = threading.Thread(target=client.record, args=("tap",))
    thread.start()
    assert begun.wait(10)
    logging.warning("of the app")
    logged.set()
    thread.join(10)
    assert recorded.names.count("log") == 1
    client.close()


def test_the_factory_of_log_records_remains_that_of_the_app(settings, root):
    class Record(logging.LogRecord):
        pass

    former, client = logging.getLogRecordFactory(), Client(**settings)
    try:
        for _ in range(3):
            ClickstreamHandler(client)
        chained = logging.getLogRecordFactory()
        logging.setLogRecordFactory(lambda *values, **options: chained(*values, **options))
        ClickstreamHandler(client)
        kept = root.makeRecord("shop", logging.WARNING, "file", 1, "message", (), None)
        assert not hasattr(kept, "clickstream_excluded")
        # A factory that does not call the former one: the handler excludes records of its own thread itself.
        logging.setLogRecordFactory(Record)
        recorded = Recorded(client)
        root.addHandler(ClickstreamHandler(client))
        client.observe(lambda notice: logging.warning("notice") if len(recorded.names) < ENOUGH else None)
        client.record("tap")
        assert "log" not in recorded.names
    finally:
        client.close()
        logging.setLogRecordFactory(former)


def test_a_closed_client_is_reported_once(settings, root, capfd):
    client = Client(**settings)
    root.addHandler(ClickstreamHandler(client))
    client.close()
    for number in range(5):
        logging.warning("message %d", number)
        try:
            raise KeyError("id")
        except KeyError:
            logging.exception("failed")
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].endswith("the client is closed"), lines
    # Other failures are those of the app, and keep their traceback.
    other = Client(**settings)
    root.handlers = [ClickstreamHandler(other)]
    logging.warning("message %d", "text")
    assert "Traceback" in capfd.readouterr().err
    other.close()


@pytest.mark.parametrize("stderr, raises", [("closed", True), ("none", True), ("open", False)])
def test_a_report_needs_standard_error(settings, root, capfd, monkeypatch, stderr, raises):
    client = Client(**settings)
    root.addHandler(ClickstreamHandler(client))
    client.close()
    monkeypatch.setattr(logging, "raiseExceptions", raises)
    if stderr != "open":
        closed = open(os.devnull, "w")
        closed.close()
        monkeypatch.setattr("sys.stderr", closed if stderr == "closed" else None)
    logging.warning("message")
    assert capfd.readouterr().err == ""


def test_a_child_of_fork_reports_its_parents_client_once(settings, root, capfd):
    client = Client(**settings)
    recorded = Recorded(client)
    root.addHandler(ClickstreamHandler(client))
    for _ in range(2):
        child = os.fork()
        if child == 0:
            for number in range(5):
                logging.warning("message %d", number)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        lines = capfd.readouterr().err.splitlines()
        assert len(lines) == 1 and "create one after the fork" in lines[0], lines
    logging.warning("of the parent")
    assert recorded.names.count("log") == 1
    client.close()
