"""A visit of a user to a program, and the events of each step in three formats."""

import time

import collector

FORMS = ["clickstream", "pulse", "contentsquare"]
# Events of the session, which every app has.
SESSION = {"_first_open", "_app_start", "_app_end", "_session_start", "_user_engagement", "_profile_set"}
GESTURES = {6: "tap", 8: "long_press", 9: "drag", 10: "flick"}
DIRECTIONS = {1: "up", 2: "down", 3: "left", 4: "right", 5: "complex"}


def words(*parts):
    return " ".join(str(part) for part in parts if part is not None)


def clickstream_line(event):
    """An event of the clickstream format as one line: kind, element, values that are the same in every run."""
    kind, values = event["event_type"], event["attributes"]
    name = values.get("_element_accessibility_id") or values.get("_element_class")
    text = values.get("_element_value")
    if text is None and "_element_input_length" in values:
        text = f"{values['_element_input_length']} characters"
    if kind == "_click":
        key = values.get("_element_localized_key") or values.get("_localized_key")
        return words("click", values["_element_type"], name, text and repr(text), key and f"key {key!r}",
                     "on", values.get("_parent_class"))
    if kind == "_gesture" and "_target" in values:
        return words("touch", values["_gesture_type"], values.get("_gesture_direction"), values["_target"])
    if kind == "_gesture":
        return words("gesture", values["_gesture_type"], name, "on", values.get("_parent_class"))
    if kind == "_screen_load":
        return words("load", values["_element_class"])
    if kind == "_screen_view":
        return words("view", values["_screen_name"])
    if kind == "_scroll":
        return words("scroll", values["_scroll_direction"], name, "on", values.get("_parent_class"))
    if kind == "_items_impression":
        return words("impression", name, "on", values.get("_parent_class"))
    if kind == "_transaction":
        return words("transaction", f"{values['_value']:g}", values["_currency"])
    return kind


def pulse_line(event):
    kind, data = event["event_type"], event["data"]
    element, parent = data.get("element") or {}, data.get("parent_info") or {}
    name = element.get("accessibility_id")
    key, text = element.get("localized_key"), element.get("value")
    if kind == "click":
        return words("click", element["type"], name, text and repr(text), key and f"key {key!r}",
                     "on", parent.get("class"))
    if kind in ("page_load", "page_view"):
        return words(kind[5:], element["class"])
    if kind == "scroll":
        return words("scroll", data["scroll_info"]["direction"], name, "on", parent.get("class"))
    if kind == "gesture":
        return words("gesture", data["gesture_params"]["type"], "on", parent.get("class"))
    if kind == "items_impression":
        return words("impression", name, "on", parent.get("class"))
    return kind


def contentsquare_line(event):
    kind = event["ea"]
    if kind in GESTURES:
        return words("touch", GESTURES[kind], DIRECTIONS.get(event.get("fd")), event["tvp"])
    if kind == 16:
        return f"transaction {event['tr']['vl']:g} {event['tr']['cu']}"
    return {0: "start", 1: "show", 2: "hide"}.get(kind) or words("view", event["st"])


LINES = {"clickstream": clickstream_line, "pulse": pulse_line, "contentsquare": contentsquare_line}


class Visit:
    """Steps with their expected events. All events of a step have times between its start and its end."""

    def __init__(self, server):
        self.server = server
        self.steps = []

    def step(self, name, action, *, seconds=0.5, **expected):
        """Performs a step, and waits until its events have happened: a scroll ends 200 ms after its last change.
        - expected: for each format a list of lines, or None if it is not compared.
        """
        start = time.time() * 1000
        action()
        time.sleep(seconds)
        self.steps.append((name, start, time.time() * 1000, expected))

    def events(self, form, name):
        """The events of a step."""
        start, end = next((start, end) for step, start, end, _ in self.steps if step == name)
        return [event for event in self.server.events(form) if start <= self.time(event) < end]

    @staticmethod
    def time(event):
        return event.get("timestamp") or event.get("t")

    def lines(self, form, start, end):
        return [
            LINES[form](event) for event in self.server.events(form)
            if start <= self.time(event) < end and event.get("event_type") not in SESSION
        ]

    def print(self):
        """Prints the events of all steps."""
        for name, start, end, _ in self.steps:
            print(f"{name}:")
            for form in FORMS:
                print(f"    {form}: {self.lines(form, start, end)}")

    def differences(self, ignoring=None):
        """Steps whose events are not exactly those expected, in any order, in each of the formats.
        - ignoring: the beginning of lines that are not compared.
        """
        found = []
        for name, start, end, expected in self.steps:
            for form in FORMS:
                if form not in expected or expected[form] is None:
                    continue
                actual, wanted = sorted(self.lines(form, start, end)), sorted(expected[form])
                if ignoring:
                    actual = [line for line in actual if not line.startswith(ignoring)]
                if actual != wanted:
                    missing = [line for line in wanted if wanted.count(line) > actual.count(line)]
                    further = [line for line in actual if actual.count(line) > wanted.count(line)]
                    found.append(f"{name}, {form}: missing {missing}, unexpected {further}")
        return found


def click(type, name, page, value=None, key=None, target=None, tap=True, before=(), after=(), touch="tap"):
    """Expected events of a click on a control: a click in two formats, and the touch in two formats."""
    line = words("click", type, name, value and repr(value), key and f"key {key!r}", "on", page)
    # The pulse format has no class of clicked elements.
    pulse = words("click", type, None if name.startswith("Gtk") else name, value and repr(value),
                  key and f"key {key!r}", "on", page)
    touches = [f"touch {touch} {target}"] if tap else []
    pages = [f"load {page}" for page in before] + [f"view {page}" for page in (*before, *after)]
    return {
        "clickstream": touches + [line] + pages,
        "pulse": [pulse] + pages,
        "contentsquare": touches + [f"view {page}" for page in (*before, *after)],
    }


def only_touch(line, *more):
    """Expected events of a touch of no control."""
    return {"clickstream": [line, *more], "pulse": list(more), "contentsquare": [line]}


NOTHING = {"clickstream": [], "pulse": [], "contentsquare": []}

__all__ = ["Visit", "click", "only_touch", "words", "NOTHING", "collector"]
