"""The Python interface, against the collector."""
import enum
import json
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import types

import pytest

import clickstream
from clickstream import Client, ClickstreamError, Decision, Draft, NoticeKind, Purpose
from clickstream._library import record_fast


def test_events_reach_the_collector(settings, collector):
    settings["endpoint"] = collector.endpoint
    with Client(**settings, global_attributes={"channel": "web"}) as client:
        client.set_user_id("carl")
        client.add_user_attributes({"_user_age": 21})
        client.record("add_to_cart", {"category": "shoes", "value": 279.9, "count": 2**53 + 1, "new": True, "name": "Übergröße 👟"})
        client.record("view_item", {"a": 1}, items=[{"id": 1, "name": "Nature", "price": 9.5}, {"id": "b"}])
        client.delete_global_attributes(["channel"])
        client.record("plain")
        report = client.flush(timeout=10)
    assert report.is_complete and report.error == 0 and report.message == ""
    events = {event["event_type"]: event for event in collector.events()}
    assert report.sent >= 5 and {"_first_open", "_app_start", "_session_start", "_profile_set"} <= set(events)
    cart = events["add_to_cart"]
    attributes = {name: value for name, value in cart["attributes"].items() if not name.startswith("_")}
    assert attributes == {
        "category": "shoes", "value": 279.9, "count": 2**53 + 1, "new": True, "name": "Übergröße 👟", "channel": "web",
    }
    assert cart["user"]["_user_id"]["value"] == "carl" and cart["user"]["_user_age"]["value"] == 21
    assert cart["app_id"] == "python" and cart["sdk_version"] == clickstream.__version__
    assert events["view_item"]["items"] == [{"id": 1, "name": "Nature", "price": 9.5}, {"id": "b"}]
    assert "channel" not in events["plain"]["attributes"]
    assert "_app_end" in events


def test_wrong_arguments_raise_and_record_nothing(settings):
    client = Client(**settings)
    names = []
    client.observe(lambda notice: names.append(notice.name))
    for attributes, error in [
        ({"a": [1]}, TypeError), ({"a": {}}, TypeError), ({"a": (1,)}, TypeError), ({"b": 1, "a": 1j}, TypeError),
        ({"a": math.nan}, ValueError), ({"a": math.inf}, ValueError), ({"a": object()}, TypeError), ({"a": b"b"}, TypeError),
        ({None: 1}, TypeError), ({True: 1}, TypeError), ({1: 1}, TypeError),
    ]:
        with pytest.raises(error):
            client.record("refused", attributes)
    with pytest.raises(ValueError):
        client.record("\ud800")
    with pytest.raises(TypeError):
        client.record("refused", items=[{"id": "a", None: 1}])
    with pytest.raises(TypeError):
        Client(**settings, global_attributes={None: 1})
    with pytest.raises(TypeError):
        client.delete_global_attributes("channel")
    for call in (
        lambda: client.record(None), lambda: client.record(b"refused"), lambda: client.set_user_id(1),
        lambda: client.screen("s", unique_id=1), lambda: client.delete_global_attributes([None]),
    ):
        with pytest.raises(TypeError):
            call()
    assert "refused" not in names
    client.close()
    for call in (lambda: client.record("late"), lambda: client.record("late", items=[{"id": "a"}]), client.close,
                 lambda: client.flush(0), lambda: client.is_enabled, lambda: client.observe(print), client.erase_all):
        with pytest.raises(ClickstreamError, match="the client is closed") as refused:
            call()
        assert refused.value.status == 4


@pytest.mark.parametrize("value", [[1], {}, (1,), b"b", 1j, object(), {1}, lambda: 1])
def test_a_value_of_another_type_is_named(settings, value):
    with Client(**settings) as client:
        for call in (
            lambda: client.record("refused", {"good": 1, "bad": value}),
            lambda: client.record("refused", types.MappingProxyType({"bad": value})),
            lambda: client.record("refused", items=[{"id": "a"}, {"bad": value}]),
            lambda: client.set_global_attributes({"bad": value}), lambda: client.add_user_attributes({"bad": value}),
        ):
            with pytest.raises(TypeError, match="attribute 'bad'.* is a " + type(value).__name__):
                call()
    with pytest.raises(TypeError, match="'bad'"):
        Client(**settings, global_attributes={"bad": value})


def test_none_omits_an_attribute(settings):
    many = {f"n{i}": None if i % 2 else i for i in range(200)}
    with Client(**settings, global_attributes={"g": None, "h": 1}) as client:
        recorded = []
        client.observe(lambda notice: recorded.append(json.loads(notice.json)) if notice.name == "none" else None)
        assert record_fast(client._address, "none", {"a": None, "b": 1, "c": None}) == 0
        for attributes in ({"a": None, "b": 1}, types.MappingProxyType({"a": None, "b": 1}), {"a": None}, many):
            client.record("none", attributes, items=[{"id": "i", "name": None}])
            client.record("none", attributes)
        own = [{name: value for name, value in event["attributes"].items() if name[0] != "_"} for event in recorded]
        assert own == [{"b": 1, "h": 1}] * 5 + [{"h": 1}] * 2 + [{**{f"n{i}": i for i in range(0, 200, 2)}, "h": 1}] * 2
        assert [event["items"] for event in recorded[1::2]] == [[{"id": "i"}]] * 4


def test_a_setting_that_is_refused_is_named(settings):
    with Client(**settings) as client:
        for key, value, reason in [("nope", 1, "unknown key"), ("sessionTimeoutDuration", "long", "invalid value")]:
            with pytest.raises(ClickstreamError, match=f"{reason}.*{key}|{key}.*{reason}"):
                client.configure(isLogEvents=False, **{key: value})
        for callback in (3, None, "print"):
            with pytest.raises(TypeError):
                client.observe(callback)


def test_purposes_have_the_names_of_the_library(settings):
    decided = {}
    with Client(**settings) as client:
        for purpose in Purpose:
            client.set_consent(Decision.GRANTED, purpose)
            decided[purpose.name.replace("_", "").lower()] = "granted"
            assert [client.consent(other) == Decision.GRANTED for other in Purpose] == [other <= purpose for other in Purpose]
    [state] = settings["storage_directory"].rglob("state")
    consent = json.loads(re.search(rb'"consent":({[^}]*})', state.read_bytes())[1])
    assert {name.lower(): value for name, value in consent.items() if name != "revision"} == decided


def test_consent_is_given_and_withdrawn(settings, collector):
    settings["endpoint"] = collector.endpoint
    settings["configuration"]["consent"] = "hold"
    with Client(**settings) as client:
        client.record("held")
        assert client.consent(Purpose.ANALYTICS) == Decision.UNDECIDED
        assert client.flush(5).sent == 0
        client.set_consent(Decision.GRANTED, Purpose.ANALYTICS, Purpose.PERSONALIZATION)
        assert client.consent(Purpose.ANALYTICS) == client.consent(Purpose.PERSONALIZATION) == Decision.GRANTED
        assert client.flush(5).sent > 0
        client.record("withdrawn")
        client.set_consent(Decision.DENIED, Purpose.ANALYTICS)
        assert client.flush(5).sent == 0
        client.set_consent(Decision.GRANTED, Purpose.ANALYTICS)
        client.record("erased")
        client.erase_all()
        assert client.consent(Purpose.ANALYTICS) == Decision.UNDECIDED
        for purposes in ([], [3]):
            with pytest.raises(ValueError):
                client.set_consent(Decision.GRANTED, *purposes)
    assert [len(collector.events(name)) for name in ("held", "withdrawn", "erased")] == [1, 0, 0]


def test_middleware_changes_and_drops_events(settings):
    def redact(draft):
        if draft.name == "secret":
            return None
        if draft.name == "broken":
            raise RuntimeError("of the middleware")
        draft.attributes.pop("email", None)
        draft.attributes["size"] = 2**62 + 1
        return Draft("renamed", draft.attributes, [{**item, "seen": True} for item in draft.items])

    with Client(**settings) as client:
        recorded = []
        client.observe(lambda notice: recorded.append(json.loads(notice.json)) if notice.name in names else None)
        names = ("renamed", "secret", "broken", "kept")
        client.add_middleware("redact", redact)
        for name in ("tap", "secret", "broken"):
            client.record(name, {"email": "a@b.c", "n": 1.5, "text": "é👟"}, items=[{"id": "i"}])
        threads = [threading.Thread(target=lambda: [client.record("tap") for _ in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.remove_middleware("redact")
        client.record("kept", {"email": "a@b.c"})
        with pytest.raises(ClickstreamError):
            client.remove_middleware("redact")
    assert [event["event_type"] for event in recorded] == ["renamed"] * 201 + ["kept"]
    own = {name: value for name, value in recorded[0]["attributes"].items() if name[0] != "_"}
    assert own == {"n": 1.5, "text": "é👟", "size": 2**62 + 1} and recorded[0]["items"] == [{"id": "i", "seen": True}]
    assert recorded[-1]["attributes"]["email"] == "a@b.c"


def test_events_are_sampled_by_name(settings):
    settings["configuration"]["sampling"] = {"tap": 0}
    with Client(**settings) as client:
        names = []
        client.observe(lambda notice: names.append(notice.name) if notice.kind == NoticeKind.RECORDED else None)
        client.record("tap")
        client.configure(sampling={"tap": 1, "other": 0})
        client.record("tap")
        client.record("other")
    assert names.count("tap") == 1 and names.count("other") == 0


def test_items_and_settings_may_be_mappings_of_any_type(settings):
    attributes = types.MappingProxyType({"id": "a"})
    with Client(**settings, global_attributes=attributes) as client:
        recorded = []
        client.observe(lambda notice: recorded.append(json.loads(notice.json)) if notice.name == "mapped" else None)
        client.record("mapped", attributes, items=(attributes, {"id": "b"}))
    assert recorded[0]["items"] == [{"id": "a"}, {"id": "b"}] and recorded[0]["attributes"]["id"] == "a"


def test_used_up_handles_are_reported_as_such(settings, monkeypatch):
    class UsedUp:
        def __getattr__(self, name):
            return getattr(clickstream._library.lib, name)

        def clickstream_configuration_create(self):
            return clickstream._library.ffi.NULL

    with Client(**settings) as client:
        with monkeypatch.context() as patch:
            patch.setattr(clickstream._client, "lib", UsedUp())
            for call in (lambda: Client(**settings), lambda: client.configure(isLogEvents=False)):
                with pytest.raises(ClickstreamError) as refused:
                    call()
                assert refused.value.status == 16


def test_a_client_may_be_closed_in_its_context(settings):
    with Client(**settings) as client:
        client.record("last")
        client.close()
    with pytest.raises(KeyError):
        with Client(**settings) as client:
            client.close()
            raise KeyError("of the body")


def test_timeouts_of_every_size_are_accepted(settings):
    with Client(**settings) as client:
        client.disable()
        for timeout in (0, -1, 0.5, math.inf, -math.inf, math.nan, 1e300, None):
            assert client.flush(timeout).sent == 0
    Client(**settings, configuration_file=None).close(-math.inf)


class Size(enum.IntEnum):
    LARGE = 3


class Name(str):
    pass


def test_both_paths_record_the_same(settings):
    assert record_fast.__name__ == "record", "the package was built without its C extension"
    with Client(**settings) as client:
        recorded = []
        client.observe(lambda notice: recorded.append(json.loads(notice.json)) if notice.name == "same" else None)
        for attributes in [
            {}, {"text": "", "long": "é" * 1000, "emoji": "👟", "nul": "a\0b"}, {"low": -(2**63), "high": 2**63 - 1, "zero": 0},
            {"a": 279.9, "b": -0.0, "c": 1e-310, "d": 5e300}, {"yes": True, "no": False}, {f"n{i}": i for i in range(64)},
        ]:
            assert record_fast(client._address, "same", attributes) == 0
            client.record("same", types.MappingProxyType(attributes))
            fast, slow = (event["attributes"] for event in recorded[-2:])
            own = {name: fast[name] for name in attributes}
            assert own == attributes == {name: slow[name] for name in attributes}
            assert [type(value) for value in own.values()] == [type(value) for value in attributes.values()]


def test_other_values_take_the_slower_path(settings):
    with Client(**settings) as client:
        recorded = []
        client.observe(lambda notice: recorded.append(json.loads(notice.json)["attributes"]) if notice.name == "slow" else None)
        for attributes, expected in [
            ({"size": Size.LARGE}, {"size": 3}), ({"name": Name("n")}, {"name": "n"}), ({Name("n"): 1}, {"n": 1}),
            ({"half": "a\ud800b"}, {"half": "a\ufffdb"}), ({f"n{i}": i for i in range(65)}, {f"n{i}": i for i in range(65)}),
        ]:
            assert record_fast(client._address, "slow", attributes) is None
            client.record("slow", attributes)
            assert {name: recorded[-1][name] for name in expected} == expected
        assert len(recorded) == 5
        with pytest.raises(TypeError):
            record_fast(client._address, "slow")
        with pytest.raises(TypeError):
            record_fast("client", "slow", None)


def test_threads_record_while_observers_run(settings):
    # A thread that waits for the client's lock must not hold the interpreter's: the observer needs it.
    with Client(**settings) as client:
        seen = []
        client.observe(lambda notice: seen.append(notice.name))
        shared = {"n": 0, "text": "x" * 100}

        def work(n):
            for i in range(200):
                shared["text"] = "x" * (i % 200)
                client.record("observed", shared)
                client.set_user_id(f"{n}-{i}")

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
        assert seen.count("observed") == 1600


def test_a_start_reports_its_errors(settings):
    with pytest.raises(ClickstreamError, match="appId"):
        Client(storage_directory=settings["storage_directory"])
    with pytest.raises(ClickstreamError, match="unknown key"):
        Client({"appid": "a"}, **{key: settings[key] for key in ("app_id", "storage_directory")})
    with pytest.raises(ClickstreamError, match="missing.json"):
        Client(app_id="a", configuration_file="missing.json")


def test_configuration_is_read_and_changed(settings, tmp_path):
    (tmp_path / "amplifyconfiguration.json").write_text(
        '{"analytics": {"plugins": {"awsClickstreamPlugin ": {"appId": "file", "sessionTimeoutDuration": 5}}}}'
    )
    client = Client(storage_directory=settings["storage_directory"])
    assert client.configuration["appId"] == "file" and client.configuration["sessionTimeoutDuration"] == 5
    client.configure(sessionTimeoutDuration=60_000, isLogEvents=False)
    assert client.configuration["sessionTimeoutDuration"] == 60_000
    with pytest.raises(ClickstreamError):
        client.configure(sessionTimeoutDuration="long")
    client.close()


def test_switches_and_screens(settings):
    with Client(**settings) as client:
        names = []
        client.observe(lambda notice: names.append(notice.name) if notice.kind == NoticeKind.RECORDED else None)
        client.disable()
        assert not client.is_enabled
        client.record("ignored")
        client.enable()
        assert client.is_enabled
        client.screen("Home", "main")
        client.screen("Home", "main")
        client.foreground()
        client.background()
        assert names.count("_screen_view") == 1 and "ignored" not in names and "_app_end" in names


def test_observers_receive_violations_and_warnings_until_they_are_cancelled(settings):
    client = Client(**settings)
    notices = []
    observer = client.observe(notices.append)
    client.record("not a name")
    rejected = [notice for notice in notices if notice.kind == NoticeKind.REJECTED]
    assert [notice.code for notice in rejected] == [1001]
    client.configure(storageDirectory="/elsewhere")
    assert [notice.name for notice in notices if notice.kind == NoticeKind.WARNING] == ["setting_not_changed"]
    observer.cancel()
    observer.cancel()
    count = len(notices)
    client.record("later")
    assert len(notices) == count

    def failing(notice):
        raise RuntimeError("of the observer")

    client.observe(failing)
    client.record("survives")
    client.close()


def test_a_refused_flush_keeps_the_events(settings):
    with Client(**settings) as client:
        client.record("kept")
        report = client.flush(timeout=5)
        assert not report.is_complete and report.sent == 0 and report.error != 0 and report.message


def test_threads_record_in_parallel(settings, collector):
    settings["endpoint"] = collector.endpoint
    with Client(**settings) as client:
        threads = [
            threading.Thread(target=lambda n=n: [client.record("parallel", {"n": n, "i": i}) for i in range(100)])
            for n in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert client.flush(20).is_complete
    seen = {(event["attributes"]["n"], event["attributes"]["i"]) for event in collector.events("parallel")}
    assert len(seen) == 1600


def test_a_child_of_fork_is_refused(settings):
    with Client(**settings) as client:
        child = os.fork()
        if child == 0:
            try:
                client.record("child")
            except ClickstreamError as error:
                os._exit(7 if error.status == 14 else 1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_child_of_fork_has_clients_of_its_own(settings, collector):
    settings["endpoint"] = collector.endpoint
    client = Client(**settings)
    client.observe(lambda notice: None)
    client.record("parent")
    for generation in range(2):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                own = Client(**settings)
                own.record("child", {"generation": generation})
                own.close(10)
                if os.fork() == 0:
                    Client(**settings).record("grandchild", {"generation": generation})
                    os._exit(0)
                status = os.waitstatus_to_exitcode(os.wait()[1])
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    client.record("parent")
    assert client.flush(10).is_complete
    client.close()
    with Client(**settings) as last:
        last.flush(10)
    counts = {name: len(collector.events(name)) for name in ("parent", "child", "grandchild")}
    assert counts == {"parent": 2, "child": 2, "grandchild": 2}
    ids = [event["event_id"] for event in collector.events()]
    assert len(set(ids)) == len(ids)


RECORDER = """
    import sys, clickstream
    client = clickstream.Client({"autoFlushEventsInterval": 0}, app_id="python", endpoint=sys.argv[2], storage_directory=sys.argv[1])
    n = int(sys.argv[3])
    while True:
        client.record("killed", {"n": n})
        print(n, flush=True)
        n += 1
"""


def test_a_killed_process_loses_no_acknowledged_event(settings, collector):
    settings["endpoint"] = collector.endpoint
    acknowledged = 0
    for round, enough in enumerate([1, 50, 400, 1500]):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(RECORDER), settings["storage_directory"], collector.endpoint,
             str(acknowledged)],
            stdout=subprocess.PIPE, text=True,
        )
        for line in process.stdout:
            acknowledged = int(line) + 1
            enough -= 1
            if enough <= 0:
                process.send_signal(signal.SIGKILL)
                break
        for line in process.stdout:
            if line.endswith("\n"):
                acknowledged = int(line) + 1
        process.wait()
        assert process.returncode == -signal.SIGKILL
    with Client(**settings) as client:
        assert client.flush(30).is_complete
    numbers = [event["attributes"]["n"] for event in collector.events("killed")]
    assert acknowledged >= 1951
    assert set(range(acknowledged)) <= set(numbers)
