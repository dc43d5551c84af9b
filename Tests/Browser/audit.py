"""Audit events of a shop's back office, as ClickstreamAudit writes them."""

import json
import time


class Audit:
    """Events with increasing ids and times, one second apart."""

    def __init__(self, user="carl", start=None, first=1):
        self.events = []
        self.user = user
        self.now = start if start is not None else int(time.time()) - 3600
        self.first = first

    def add(self, event, activity, data, **more):
        self.now += 1
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.now)) + ".345Z"
        number = self.first + len(self.events)
        self.events.append({
            "_id": f"62b38b3c{number:016x}", "event": event, "activity": activity, "timestamp": stamp,
            "data": data if data is None or isinstance(data, str) else json.dumps(data), "username": self.user, **more,
        })
        return self

    def read(self, activity, table, *rows, **more):
        return self.add("read", activity, {"type": table, "value": list(rows)}, **more)

    def write(self, activity, more=None, **tables):
        return self.add("write", activity, tables, **(more or {}))


def update(old, **changes):
    return {"oldValue": old, "newValue": changes}


def product(number, **values):
    return {"id": number, "name": f"Trail Runner {number}", "price": "79.90", "stock": 12, "active": True, **values}


def back_office():
    """Twelve events: reads, the three kinds of changes, a count, custom events, one bad event."""
    ann = Audit("ann")
    ann.read("open catalogue", "product", product(1), product(2), product(3))
    ann.write("edit price", product={"modifications": [update(product(2), price="69.90", stock=11)]})
    ann.add("pressed save", "edit price", "button: save")
    ann.add("read", "dashboard", {"type": "orders", "value": None, "columns": ["id", "total"]})
    carl = Audit("carl", ann.now, 100)
    carl.write("import", product={"insertions": [product(4), product(5)]}, supplier={"insertions": [{"id": 9, "name": "Peak"}]})
    carl.write("edit price", product={"modifications": [update(product(2, price="69.90", stock=11), price="64.90")]})
    carl.write("clean up", product={"deletions": [product(5)]}, supplier={"modifications": [update({"id": 9, "name": "Peak", "big": 9007199254740993}, name="Peak GmbH", big=9007199254740995)]})
    carl.add("user registration", "registration", None)
    carl.write("rename", product={"modifications": [update(product(3), name="Road Racer")]}, more={"shift": "late"})
    carl.write("bad", product={"modifications": [update(product(3), name="Trail Runner 3")]})
    return ann.events + carl.events
