"""What the comparison sends besides the replayed scripts: many users, and everything that can go wrong with a request."""

import base64
import gzip
import http.client
import json
import random
import time
import urllib.parse

NOW = int(time.time() * 1000)
HOUR = 3_600_000


class Sender:
    """Sends one request after the other, so that the order of arrival is the order of the calls."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.sequence = 0

    def send(self, body, app="shop", headers={}):
        self.sequence += 1
        query = urllib.parse.urlencode({
            "platform": "Linux", "appId": app, "compression": "gzip", "event_bundle_sequence_id": self.sequence,
            "upload_timestamp": NOW,
        })
        if isinstance(body, str):
            body = body.encode("utf-8", "surrogatepass")
        self.connection.request("POST", f"/collect?{query}", body=body, headers=headers)
        reply = self.connection.getresponse()
        reply.read()
        assert reply.status == 200, reply.status

    def events(self, events, app="shop", form="packed"):
        text = json.dumps(events)
        match form:
            case "plain": self.send(text, app)
            case "packed": self.send(pack(text), app)
            case "encoded": self.encoded(gzip.compress(text.encode()), app)

    def encoded(self, body, app="shop", encoding="gzip"):
        """A body under Content-Encoding, which the archive has undone."""
        self.send(body, app, {"Content-Encoding": encoding})


def pack(text):
    return base64.b64encode(gzip.compress(text.encode())).decode()


class Person:
    """One user's phone: sessions with screens, engagement, a login and now and then a mistake."""

    def __init__(self, number, source):
        self.number = number
        self.source = source
        self.unique_id = f"person-{number}"
        self.app = source.choice(["shop", "kiosk", "news"])
        self.time = NOW - source.randrange(60 * HOUR)
        self.sessions = 0
        self.user = None

    def session(self):
        self.sessions += 1
        self.time += self.source.randrange(40 * 60_000)
        # Two apps share the ids of their sessions on purpose.
        session = {"_session_id": f"{self.number % 7}-{self.sessions}", "_session_number": self.sessions,
                   "_session_start_timestamp": self.time}
        if self.source.random() < 0.1:
            del session["_session_start_timestamp"]
        events = [self.event("_session_start", session)]
        for index in range(self.source.randrange(1, 9)):
            screen = {"_screen_name": self.source.choice(["Home", "List", "Detail"]), "_screen_unique_id": f"s{index}"}
            stay = self.source.choice([300, 999, 1_000, 4_200, 61_000])
            events.append(self.event("_screen_view", {**session, **screen, "_engagement_time_msec": stay // 3}))
            for _ in range(self.source.randrange(4)):
                events.append(self.event("tapped", {**session, **screen, "count": self.source.randrange(9)}))
            if self.source.random() < 0.2:
                self.user = self.source.choice([None, f"user-{self.number}", f"user-{self.number}-2"])
            if self.source.random() < 0.1:
                events.append(self.event("_clickstream_error", {**session, "_error_code": 1001}))
            self.time += stay
            if stay >= 1_000:
                events.append(self.event("_user_engagement", {**session, **screen, "_engagement_time_msec": stay}))
        events.append(self.event("_app_end", session))
        return events

    def event(self, name, attributes):
        # Often two events of one millisecond: then the order of arrival decides.
        self.time += self.source.choice([0, 0, 1, 250])
        user = {"_user_id": {"value": self.user, "set_timestamp": self.time}} if self.user else {}
        return {"event_id": f"{self.source.getrandbits(64):016x}", "event_type": name, "app_id": self.app,
                "timestamp": self.time, "unique_id": self.unique_id, "user": user, "attributes": attributes}


def people(sender, count, sessions, seed):
    """Users' sessions, in batches of many sizes, some sent twice, some late, some with a part of an earlier one."""
    source = random.Random(seed)
    crowd = [Person(number, source) for number in range(count)]
    earlier = []
    late = []
    for _ in range(sessions):
        for person in source.sample(crowd, len(crowd)):
            events = person.session()
            while events:
                size = source.randrange(1, 12)
                batch, events = events[:size], events[size:]
                chance = source.random()
                if chance < 0.05:
                    late.append((batch, person.app))
                    continue
                if chance < 0.10 and earlier:
                    batch = source.choice(earlier)[-3:] + batch
                sender.events(batch, person.app, source.choice(["packed", "packed", "plain", "encoded"]))
                earlier.append(batch)
                if chance > 0.95:
                    sender.events(batch, person.app)
    for batch, app in late:
        sender.events(batch, app)


def errors(sender):
    """Every body that cannot be read, and every event that a pipeline objects to."""
    for body in ("", "   \n", "not base64!", "QUJD", "QUI", base64.b64encode(b"\x1f\x8bnot gzip").decode(),
                 pack("[")[:-8], pack('{"a": 1}'), pack(" "), '{"event_id": "e"}', '[{"a": 1]', "[NaN]", "[1,]", "[1e]",
                 '["\\x"]', '["\t"]', "[]", pack("[]"), pack("null"), "[1] [2]", "[01]", '["' + "a" * 100_000,
                 base64.b64encode(gzip.compress(b'["\xff"]')).decode(), "QUJD" * 20_000 + "==",
                 "[" + "1," * 100_000 + "1]"):
        sender.send(body)
    # None that says Content-Encoding and is readable text all the same: the collector calls it bad, but the archive
    # keeps it as it came and has no word of the header, so that the job reads it.
    compress = gzip.compress
    for body in (b"", b"QUJD", compress(b""), compress(b" "), compress(b"[]"), compress(b"[1,]"),
                 compress(b'[{"a": 1}]')[:-8], compress(compress(b"[]")), compress(b" " * (2**26 + 1))):
        sender.encoded(body)

    def event(event_id, **changes):
        base = {"event_id": event_id, "event_type": "odd", "app_id": "odd", "timestamp": NOW - 1_000, "unique_id": "odd",
                "attributes": {"_session_id": "odd"}}
        return {key: value for key, value in (base | changes).items() if value != "absent"}

    greatest = 2**63 - 1
    sender.events([
        5, None, "text", [], {}, True,
        event("absent"), event(""), event(None), event("no-app", app_id="absent"), event("app-null", app_id=None),
        event("no-time", timestamp="absent"), event("time-text", timestamp="1700000000000"),
        event("no-time", timestamp="absent"), event("time-fraction", timestamp=1700000000000.5),
        event("no-type", event_type="absent"), event("alias", event_type="absent", event_name="_screen_view"),
        event("both", event_name="_screen_view"),
        event("future", timestamp=NOW + 48 * HOUR), event("stale", timestamp=NOW - 100 * HOUR),
        event("first", event_type="_first_open", timestamp=NOW - 1_000 * HOUR),
        event("tall", screen_height=1.5), event("wide", screen_width="800"), event("zone", zone_offset=None),
        event(12, unique_id=34, attributes={"_session_id": 5}), event(12, attributes={"_session_id": "5"}),
        event(1.50, attributes={"_session_id": 1.50}), event(True, attributes={"_session_id": True}),
        event({}, attributes={"_session_id": []}), event("flat", attributes="text"), event("none", attributes=None),
        event("nul", attributes={"_session_id": "a\0b"}), event("half", attributes={"_session_id": "a\ud800b"}),
        event("letters", attributes={"_session_id": "\u00e4\U0001f600\u2028"}),
        event("empty", attributes={"_session_id": ""}),
        event("user-bare", user={"_user_id": "bare"}), event("user-5", user={"_user_id": {"value": 5}}),
        event("user-empty", user={"_user_id": {"value": ""}}), event("user-list", user=[1]),
        event("most", event_type="_screen_view", attributes={"_session_id": "most", "_screen_name": "A"}),
        event("least", timestamp=-greatest - 1, attributes={"_session_id": "least"}),
        event("too-large", timestamp=greatest + 1, attributes={"_session_id": "too-large"}),
        event("minus", event_type="_user_engagement", attributes={"_session_id": "most", "_engagement_time_msec": -5}),
        event("texts", event_type="_user_engagement", attributes={
            "_session_id": "most", "_engagement_time_msec": "7", "_session_number": "1", "_session_start_timestamp": 1.0}),
        event("number", attributes={"_session_id": "most", "_session_number": 7, "_session_start_timestamp": NOW}),
        event("crash", event_type="_app_exception", attributes={"_session_id": "most"}),
        event("error", attributes={"_session_id": "most", "_error_code": None}),
        event("same"), event("same", unique_id="another"),
    ], app="odd", form="plain")
    sender.events([event("same", unique_id="a third"), event("same", timestamp=NOW - 999)], app="odd")
    # One session of which the later events come first, and one id in two apps.
    sender.events([event("z2", timestamp=NOW - 5, event_type="_screen_view", attributes={
        "_session_id": "turned", "_screen_name": "B", "_session_start_timestamp": NOW - 7, "_engagement_time_msec": 800})])
    sender.events([event("z1", timestamp=NOW - 9, event_type="_screen_view", attributes={
        "_session_id": "turned", "_screen_name": "A", "_session_start_timestamp": NOW - 9})])
    sender.events([event("z3", app_id="other", attributes={"_session_id": "turned"})])
    # Names that come twice: the last counts.
    sender.send('[{"event_id":"first","event_id":"twice","app_id":"odd","timestamp":1,"timestamp":' + str(NOW - 77)
                + ',"event_type":"a","attributes":{"_session_id":"no","_session_id":"twice","_session_id":"yes"}}]')
    sender.send('[{"event_type":"_screen_view","event_name":"b","event_type":"c","event_id":"order","app_id":"odd",'
                '"timestamp":-0,"attributes":{"_session_id":"order","_session_number":-0}}]')
    # Two members of gzip make one text.
    halves = json.dumps([event("members", attributes={"_session_id": "members"})]).encode()
    sender.send(base64.b64encode(compress(halves[:20]) + compress(halves[20:])).decode())
    sender.encoded(compress(halves[:20]) + compress(halves[20:]))
    # What is encoded can be packed as well.
    twice = pack(json.dumps([event("both-ways", attributes={"_session_id": "both-ways"})])).encode()
    sender.encoded(compress(twice))
    sender.encoded(compress(json.dumps([event("x-gzip")]).encode()), encoding="X-GZIP")
    sender.encoded(json.dumps([event("identity")]).encode(), encoding="identity")
