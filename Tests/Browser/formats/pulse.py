"""The Pulse format: arrays of events with the path of pages to each."""

from app import App, identifier

# The name of the format in the page, and the heading of the session of `shopping`.
NAME = "Pulse"
HEADING = "Pulse session"


class Pulse(App):
    form = "pulse"

    def __init__(self, start=None, number=1):
        super().__init__(start, number)
        self.path = {}
        self.sources = []
        self.page = None
        self.appearances = {}

    @property
    def requests(self):
        return self.parts(self.events, 200)

    def event(self, event_type, data, page=None):
        page = self.page if page is None else page
        previous = [event["event_id"] for event in self.events[-10:]]
        body = {
            "event_type": event_type, "event_id": identifier(len(self.events) + 1, self.number), "timestamp": self.time,
            "is_background": False, **({"sub_sids": dict(self.path)} if self.path else {}),
            "data": {
                "metadata": {"auto_generated": True, "event_id_source": "sdk"}, "connection_type": "WIFI", **data,
                **({"parent_info": page} if page else {}), "previous_events": previous, "sources_info": self.sources[-3:],
            },
        }
        self.events.append(body)
        return self

    def show(self, name, class_name=None):
        """The page appears; a new one is loaded and pushed on the path, one below the top is returned to."""
        reference = {"class": class_name or f"{name}ViewController", "id": name}
        element = {**reference, "type": "controller"}
        self.page = False
        if name not in self.path:
            self.event("page_load", {"element": element}, page=False)
            self.path[name] = identifier(len(self.path) + len(self.events), self.number + 0x1000)
        else:
            names = list(self.path)
            self.path = {name: self.path[name] for name in names[: names.index(name) + 1]}
        self.wait(57)
        self.appearances[name] = self.appearances.get(name, 0) + 1
        self.event("page_view", {"element": {**element, "sequence": self.appearances[name]}}, page=False)
        self.page = reference
        self.sources = [*self.sources, reference]
        return self

    def click(self, value, kind="button", **element):
        return self.event("click", {"element": {"type": kind, "value": value, **element}})

    def tap(self, x, y, kind="tap", fingers=1, target="UIView", **more):
        return self.event("gesture", {
            "gesture_params": {"tap_x": x, "type": kind, "tap_y": y, "taps_count": fingers}, "target_info": {"class": target, **more}})

    def move(self, x, y, to_x, to_y, target="UIView"):
        return self.event("gesture", {
            "gesture_params": {"move_start_x": x, "move_start_y": y, "move_end_x": to_x, "move_end_y": to_y,
                               "move_distance_x": abs(to_x - x), "move_distance_y": abs(to_y - y), "type": "move"},
            "target_info": {"class": target}})

    def scroll(self, start, end, depth, direction=None, duration=480):
        distance = abs(end - start)
        return self.event("scroll", {"element": {"type": "scroll_view"}, "scroll_info": {
            "distance": distance, "speed": distance * 1000 // duration, "direction": direction or ("up" if end > start else "down"),
            "scroll_depth": depth, "end_position": end, "start_position": start, "duration": duration}})

    def impressions(self, items):
        """Items by their names, with the seconds that each was visible."""
        params = [{"id": f"p-{index}", "name": name, "timestamp": self.time - 1000 * seconds - 500, "view_time": seconds}
                  for index, (name, seconds) in enumerate(items.items())]
        return self.event("items_impression", {
            "element": {"type": "table_view_cell"}, "items_count": len(params), "params": params})


def identity(event):
    return event["event_id"]


def script(url):
    """Changes of a replay script after which it sends the format to a collector."""
    return {"pulse: {}": f"pulse: {{ endpoint: {url}pulse }}"}


def shopping(start=None, number=1):
    """A visitor of a shop on a phone: six visits to four pages."""
    app = Pulse(start, number)
    app.show("Home").wait(1800).tap(196, 152, target="BannerView").wait(900).tap(96, 402, target="CategoryCell")
    app.wait(600).scroll(0, 340, 62).wait(2400).scroll(340, 610, 83).wait(700).tap(300, 530, target="CategoryCell")
    app.wait(300).click("Running shoes", "collection_view_cell", id="category_running")
    app.wait(120).impressions({"Autumn sale": 7, "Running": 5, "Hiking": 4}).show("Products")
    app.wait(2600).scroll(0, 900, 34).wait(3100).scroll(900, 2100, 71).wait(900).move(334, 610, 90, 596, "ProductCell")
    app.wait(800).move(200, 680, 210, 300, "UITableView").wait(1100).tap(180, 470, "long_press", target="ProductCell")
    app.wait(700).click("Trail Runner 5", "table_view_cell", id="product_p-1001")
    app.wait(60).impressions({"Trail Runner 5": 9, "Road Racer": 7, "Peak GTX": 6, "Sandal Light": 4, "City Walk": 3}).show("Detail")
    app.wait(1500).move(320, 280, 60, 270, "GalleryView").wait(900).move(310, 300, 48, 305, "GalleryView")
    app.wait(800).event("gesture", {"gesture_params": {"scale_start": 100, "scale_end": 240, "scale_value": 140, "type": "scale"},
                                    "target_info": {"class": "GalleryView"}})
    app.wait(1200).scroll(0, 420, 88).wait(900).click("42", "segment", id="size").wait(1300).click("Add to cart", id="add_to_cart")
    app.wait(400).click("Add to cart", id="add_to_cart").wait(900).show("Products").wait(2200).scroll(2100, 1500, 71)
    app.wait(900).show("Cart").wait(1600).tap(352, 214, target="DeleteButton").wait(1200).click("2", "stepper", id="quantity")
    app.wait(1500).click("Zur Kasse", id="checkout", localized_key="cart.checkout").wait(300)
    app.event("scroll", {"element": {"type": "scroll_view"}, "scroll_info": {
        "distance": -12, "speed": 40, "direction": "sideways", "scroll_depth": 40, "end_position": 0, "start_position": 12, "duration": 300}})
    app.wait(2600).show("Home").wait(3000).tap(52, 806, target="TabBarButton").wait(400).tap(52, 806, 'tap', 2, "TabBarButton")
    return app


def large():
    """9 800 events on many pages."""
    app = Pulse()
    app.show("Home")
    while len(app.events) < 9_800:
        step = len(app.events)
        app.wait(40).tap(step * 37 % 390, step * 53 % 844).move(10, 20, 300, step % 844).click(f"button {step % 300}")
        app.scroll(0, step % 900 + 1, step % 101)
        if step // 200 >= len(app.appearances):
            app.show(f"Page {step // 200}")
    return app


def hostile(hook, number):
    """Events with a text in all places."""
    app = Pulse(number=number)
    app.show(hook, hook).tap(10, 10, target=hook).tap(20, 20, hook, id=hook).move(5, 5, 9, 9, hook).click(hook, hook, id=hook, localized_key=hook)
    app.impressions({hook: 4}).scroll(0, 10, 40, hook)
    for each in app.events:
        each[hook] = hook
        each["data"] |= {hook: {hook: hook}, "additional_properties": {hook: hook}, "group": hook}
        each["sub_sids"] = {hook: hook, "a": app.path.get(hook, hook)}
    return app


# Bodies with values of other types and sizes.
ODD = [
    [5, None, "x", [], {}, {"event_type": {"a": 1}, "data": [], "sub_sids": 7, "timestamp": "soon"},
     {"event_type": "gesture", "data": {"gesture_params": {"type": "tap", "tap_x": 1e308, "tap_y": -1e308, "taps_count": 1e9}, "previous_events": [1, None, {}]}},
     {"event_type": "gesture", "data": {"gesture_params": {"type": "move", "move_start_x": "1", "move_end_x": []}}},
     {"event_type": "scroll", "data": {"scroll_info": {"scroll_depth": -1e300, "direction": "left"}}},
     {"event_type": "items_impression", "data": {"params": [1, None, {"view_time": 1e300}, {"name": {}, "view_time": "x"}], "previous_events": "x"}},
     {"event_type": "page_view", "data": {"element": {"class": 5, "sequence": "x"}, "previous_events": []}}],
]
