"""Captured events as an app with automatic capture sends them: Pulse arrays and Contentsquare batches."""

import json
import time
import uuid


def identifier(number, prefix=0):
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{prefix}/{number}")).upper()


class Pulse:
    """Events of one launch of an app. Each method appends an event to `events`."""

    def __init__(self, start=None, number=1):
        self.time = int(time.time() * 1000) - 120_000 if start is None else start
        self.number = number
        self.events = []
        self.path = {}
        self.sources = []
        self.page = None
        self.appearances = {}

    def wait(self, milliseconds):
        self.time += milliseconds
        return self

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


HEADER = {
    "pid": 8, "uid": "ac1529a7-59f6-49d9-b254-6f0a22f57284", "dt": 4, "dma": "Apple", "dmo": "iPhone 14 Pro", "os": "16.4",
    "l": "en_US", "tz": "Europe/Paris", "now": 0, "to": {"an": "Shopping", "st": "sdk-ios", "sf": "release"},
    "r": {"w": 1179, "h": 2556, "d": 3},
}


class Contentsquare:
    """Events of one session of an app. Each method appends an event to `events`."""

    def __init__(self, start=None, session=1, number=1, **header):
        self.time = self.start = int(time.time() * 1000) - 120_000 if start is None else start
        self.session = session
        self.number = number
        self.header = {**HEADER, **header}
        self.events = []
        self.screens = 0
        self.url = "app-ios://com.company.shopping/?title="
        self.event(ea=0).event(ea=1)

    def wait(self, milliseconds):
        self.time += milliseconds
        return self

    def event(self, **members):
        self.events.append({
            "upt": self.time - self.start + 1522, "euid": identifier(len(self.events) + 1, self.number + 0x2000), "url": self.url,
            "scn": max(0, self.screens - 1), "c": 1, "o": 0, "vo": {"sv": "0.2.0", "sb": 1, "av": "1.0.0", "af": "release", "ab": 1},
            "sn": self.session, "t": self.time, **members})
        return self

    def show(self, name, variables=None, class_name=None):
        self.url = f"app-ios://com.company.shopping/{class_name or name + 'ViewController'}?title={name}"
        self.screens += 1
        return self.event(ea=4, st=name, sl=120, **({"cv": variables} if variables else {}))

    def tap(self, path, target="", responsive=True, kind=6):
        return self.event(ea=kind, tvp=path, tvid=target, **({"ur": responsive} if kind == 6 else {}))

    def swipe(self, direction, distance, velocity, path="[root]", target=""):
        return self.event(ea=10 if velocity >= 100 else 9, tvp=path, tvid=target, fd=direction, tvd=distance, tvv=velocity)

    @property
    def batch(self):
        return {**self.header, "now": int(time.time() * 1000), "pl": self.events}

    @property
    def batches(self):
        """Batches of at most 50 events."""
        return [{**self.batch, "pl": self.events[start:start + 50]} for start in range(0, len(self.events), 50)]


def shopping_pulse(start=None, number=1):
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


def shopping_contentsquare(start=None, session=3, number=1):
    """The same visitor, in one session of four screens."""
    app = Contentsquare(start, session, number)
    root, cell = "[root]>UIView:eq(0)>UICollectionView[ri:Home.categories]", "[root]>UIView:eq(0)>UITableView[tg:4]>ProductCell"
    app.wait(300).show("Home", {"2": {"layout": "b"}, "5": {"customer": "returning"}}).wait(1800)
    app.tap("BannerView[ai:HomeViewController.banner]", "banner").wait(900).tap(f"{root}>CategoryCell:eq(1)").wait(600)
    app.swipe(1, 340, 1180, root).wait(2400).swipe(1, 270, 760, root).wait(700).tap(f"{root}>CategoryCell:eq(4)").wait(300)
    app.tap("[root]>UIView:eq(0)>UILabel:eq(2)", responsive=False).wait(300).tap("[root]>UIView:eq(0)>UILabel:eq(2)", responsive=False)
    app.wait(500).show("Products").wait(2600).swipe(1, 610, 2100, "[root]>UIView:eq(0)>UITableView[tg:4]").wait(3100)
    app.swipe(1, 540, 1600, "[root]>UIView:eq(0)>UITableView[tg:4]").wait(900).swipe(3, 244, 420, f"{cell}:eq(3)").wait(800)
    app.swipe(1, 380, 90, "[root]>UIView:eq(0)>UITableView[tg:4]").wait(1100).tap(f"{cell}:eq(5)", kind=8).wait(700)
    app.tap(f"{cell}:eq(0)").wait(60).show("Detail").wait(1500).swipe(3, 262, 880, "GalleryView[ai:DetailViewController.gallery]", "gallery")
    app.wait(900).swipe(3, 258, 940, "GalleryView[ai:DetailViewController.gallery]", "gallery").wait(1200)
    app.swipe(5, 180, 410, "GalleryView[ai:DetailViewController.gallery]", "gallery").wait(900).swipe(1, 420, 1310)
    app.wait(900).tap("UIButton[ai:DetailViewController.size_42]", "size_42").wait(1300)
    app.tap("UIButton[ai:DetailViewController.add_to_cart]", "add_to_cart").wait(400)
    app.tap("UIButton[ai:DetailViewController.add_to_cart]", "add_to_cart").wait(900).show("Products").wait(3000)
    app.event(ea=2).wait(40_000).event(ea=1).wait(900).show("Cart").wait(1600).event(ea=18, k="coupon", v="AUTUMN5")
    app.wait(600).tap("UIButton[ai:CartViewController.checkout]", "checkout").wait(300)
    app.event(ea=10, tvp="[root]", tvid="", fd=2, tvd=30, tvv=60).wait(400)
    app.event(ea=16, tr={"vl": 788.9, "cu": 156, "id": "o-77810"}).wait(4000).event(ea=2)
    return app
