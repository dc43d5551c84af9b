"""An app with automatic capture, which sends the events of one format."""

import time
import uuid


class App:
    """Events of one launch. A format adds its name in paths, `form`, the bodies that the events are sent in, `requests`, and
    methods that append an event each.
    """

    def __init__(self, start=None, number=1):
        self.start = self.time = int(time.time() * 1000) - 120_000 if start is None else start
        self.number = number
        self.events = []

    def wait(self, milliseconds):
        self.time += milliseconds
        return self

    @staticmethod
    def parts(items, size):
        return [items[start:start + size] for start in range(0, len(items), size)]


def identifier(number, prefix=0):
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{prefix}/{number}")).upper()
