"""The Pulse format."""

from captured import App, Click, Gesture, Impression, Load, Other, Scroll, Touch, Transaction, View

QUERY = "/api/captured?form=pulse&limit=500"
BROKEN = [({"endpoint": 5}, "'pulse.endpoint' must be")]


def environment(url):
    return {"CLICKSTREAM_PULSE_ENDPOINT": f"{url}/pulse"}


def time(event):
    return event["timestamp"]


def identity(event):
    return event["event_id"]


def captured(event):
    kind, data = event["event_type"], event["data"]
    element, page = data.get("element") or {}, (data.get("parent_info") or {}).get("class")
    name = element.get("accessibility_id")
    if kind == "click":
        return Click(element["type"], name, page, element.get("value"), element.get("localized_key"))
    if kind == "page_load":
        return Load(element["class"])
    if kind == "page_view":
        return View(element["class"])
    if kind == "scroll":
        return Scroll(data["scroll_info"]["direction"], name, page, data["scroll_info"]["distance"])
    if kind == "gesture":
        return Gesture(data["gesture_params"]["type"], None, page)
    if kind == "items_impression":
        return Impression(name, page)
    return Other(kind)


def recorded(event):
    if isinstance(event, (App, Touch, Transaction)):
        return None
    if isinstance(event, Gesture):
        return event.without("name")
    if isinstance(event, Click):
        event = event.without("length")
    # The format has no class of elements.
    return event.without("name") if getattr(event, "name", "").startswith("Gtk") else event
