"""The Contentsquare format."""

from captured import App, Touch, Transaction, View

QUERY = "/api/captured?form=contentsquare&limit=500"
BROKEN = [({"endpoint": "http://127.0.0.1:1/"}, "'contentsquare.projectId' is missing")]
APP = {0: "start", 1: "show", 2: "hide"}
TOUCHES = {6: "tap", 8: "long_press", 9: "drag", 10: "flick"}
DIRECTIONS = {1: "up", 2: "down", 3: "left", 4: "right", 5: "complex"}
# Numbers of ISO 4217.
CURRENCIES = {978: "EUR"}


def environment(url):
    return {
        "CLICKSTREAM_CONTENTSQUARE_ENDPOINT": f"{url}/contentsquare",
        "CLICKSTREAM_CONTENTSQUARE_PROJECT_ID": "8",
    }


def time(event):
    return event["t"]


def identity(event):
    return event["euid"]


def captured(event):
    kind = event["ea"]
    if kind in APP:
        return App(APP[kind])
    if kind in TOUCHES:
        return Touch(TOUCHES[kind], event["tvp"], DIRECTIONS.get(event.get("fd")), event.get("tvd"), event.get("tvv"))
    if kind == 16:
        return Transaction(event["tr"]["vl"], CURRENCIES[event["tr"]["cu"]])
    return View(event["st"])


def recorded(event):
    return event if isinstance(event, (App, Touch, Transaction, View)) else None
