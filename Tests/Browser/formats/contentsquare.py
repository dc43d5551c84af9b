"""The Contentsquare format: batches of events of one session."""

import time

from app import App, identifier

# The name of the format in the page, and the heading of the session of `shopping`.
NAME = "Contentsquare"
HEADING = "Contentsquare session 3"

HEADER = {
    "pid": 8, "uid": "ac1529a7-59f6-49d9-b254-6f0a22f57284", "dt": 4, "dma": "Apple", "dmo": "iPhone 14 Pro", "os": "16.4",
    "l": "en_US", "tz": "Europe/Paris", "now": 0, "to": {"an": "Shopping", "st": "sdk-ios", "sf": "release"},
    "r": {"w": 1179, "h": 2556, "d": 3},
}


class Contentsquare(App):
    """Events of one session."""

    form = "contentsquare"

    def __init__(self, start=None, session=1, number=1, **header):
        super().__init__(start, number)
        self.session = session
        self.header = {**HEADER, **header}
        self.screens = 0
        self.url = "app-ios://com.company.shopping/?title="
        self.event(ea=0).event(ea=1)

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
    def requests(self):
        """Batches of at most 50 events."""
        return [{**self.header, "now": int(time.time() * 1000), "pl": events} for events in self.parts(self.events, 50)]


def identity(event):
    return event["euid"]


def script(url):
    """Changes of a replay script after which it sends the format to a collector."""
    return {"contentsquare: { projectId: 8 }": f"contentsquare: {{ endpoint: {url}contentsquare, projectId: 8 }}"}


def shopping(start=None, session=3, number=1):
    """The visitor of the other formats, in one session of four screens."""
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


def large():
    """300 swipes on one screen."""
    app = Contentsquare(session=4)
    app.show("Home")
    for step in range(300):
        app.swipe(step % 5 + 1, 60 + step, 200 + step, f"[root]>A:eq({step % 40})>B:eq({step % 7})")
    return app


def hostile(hook, number):
    """Events with a text in all places."""
    app = Contentsquare(session=number, uid=hook, dmo=hook)
    app.show(hook, {"1": {hook: hook}}).tap(f"[root]>{hook}", hook).swipe(1, 90, 900, hook, hook)
    app.event(ea=16, tr={"vl": 1, "cu": hook, "id": hook}).event(ea=18, k=hook, v=hook)
    for each in app.events:
        each["url"] = f"app-ios://{hook}/{hook}?title={hook}" if number % 2 else hook
        each[hook] = hook
    return app


# Bodies with values of other types and sizes.
ODD = [
    {**header, "pl": [
        5, None, {}, {"ea": "x", "url": 5}, {"ea": 10, "fd": 99, "tvd": -5, "tvv": 1e300, "tvp": "[" * 500 + ">" * 500}, {"ea": 9, "tvp": 5, "fd": 1},
        {"ea": 6, "tvp": ">".join("A<B>[x>y]" for _ in range(300))}, {"ea": 4, "st": {}, "cv": [1], "url": "app-x://%zz/%zz?title=%zz"},
    ]}
    for header in [{}, {"r": {"w": 1e300, "h": 1e-300, "d": 0}}, {"r": 5, "uid": [], "pid": {}}]
]
