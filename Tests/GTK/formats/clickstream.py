"""The clickstream format."""

from captured import App, Click, Gesture, Impression, Load, Other, Scroll, Touch, Transaction, View

QUERY = "/api/events?limit=500"
BROKEN = []
# Events of the session, which every app has.
SESSION = {"_first_open", "_app_start", "_app_end", "_session_start", "_user_engagement", "_profile_set"}


def environment(url):
    return {"CLICKSTREAM_ENDPOINT": f"{url}/collect"}


def time(event):
    return event["timestamp"]


def identity(event):
    return event["event_id"]


def captured(event):
    kind, values = event["event_type"], event["attributes"]
    name, page = values.get("_element_accessibility_id") or values.get("_element_class"), values.get("_parent_class")
    if kind in SESSION:
        return None
    if kind == "_click":
        value, key = values.get("_element_value"), values.get("_element_localized_key") or values.get("_localized_key")
        length = values.get("_element_input_length") if value is None else None
        return Click(values["_element_type"], name, page, value, key, length)
    if kind == "_gesture" and "_target" in values:
        return Touch(values["_gesture_type"], values["_target"], values.get("_gesture_direction"),
                     values.get("_gesture_distance"), values.get("_gesture_velocity"))
    if kind == "_gesture":
        return Gesture(values["_gesture_type"], name, page)
    if kind == "_screen_load":
        return Load(values["_element_class"])
    if kind == "_screen_view":
        return View(values["_screen_name"])
    if kind == "_scroll":
        return Scroll(values["_scroll_direction"], name, page, values["_scroll_distance"])
    if kind == "_items_impression":
        return Impression(name, page)
    if kind == "_transaction":
        return Transaction(values["_value"], values["_currency"])
    return Other(kind)


def recorded(event):
    return None if isinstance(event, App) else event
