"""A visit of a user to a program: its steps, with the captured events that each of them has in all formats."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from formats import FORMATS


@dataclass
class Step:
    """A step between two times, in milliseconds."""

    name: str
    start: float
    end: float
    expected: list | None
    ignoring: Callable

    def difference(self, form, captured):
        """How the events that a format recorded differ from the expected ones, in any order; empty if they do not."""
        actual = sorted(str(event) for event in captured if not self.ignoring(event))
        wanted = sorted(str(event) for event in map(FORMATS[form].recorded, self.expected) if event)
        if actual == wanted:
            return ""
        missing = [line for line in wanted if wanted.count(line) > actual.count(line)]
        further = [line for line in actual if actual.count(line) > wanted.count(line)]
        return f"{self.name}, {form}: missing {missing}, unexpected {further}"


class Visit:
    """Steps with their expected events. All events of a step have times between its start and its end."""

    def __init__(self, server):
        self.server = server
        self.steps = []

    def step(self, name, action, expected=None, *, seconds=0.5, ignoring=lambda event: False):
        """Performs a step, and waits until its events have happened: a scroll ends 200 ms after its last change.
        - expected: the captured events; each format has those that it can record. None if they are not compared.
        - ignoring: a condition of captured events that are not compared.
        """
        start = time.time() * 1000
        action()
        time.sleep(seconds)
        self.steps.append(Step(name, start, time.time() * 1000, expected, ignoring))

    def events(self, form, name):
        """The events of a step as they were received."""
        return self.received(form, next(step for step in self.steps if step.name == name))

    def captured(self, name, kind):
        """The captured events of a class in a step, those of all formats that record it."""
        return [
            event for form, format in FORMATS.items() for event in map(format.captured, self.events(form, name))
            if isinstance(event, kind)
        ]

    def received(self, form, step):
        """The events of a format between the start and the end of a step."""
        return [event for event in self.server.events(form) if step.start <= FORMATS[form].time(event) < step.end]

    def all(self):
        """The captured events of each step in each format, with the step and the format."""
        for step in self.steps:
            for form, format in FORMATS.items():
                yield step, form, [event for event in map(format.captured, self.received(form, step)) if event]

    def print(self):
        """Prints the events of all steps."""
        for step, form, events in self.all():
            print(f"{step.name}, {form}: {[str(event) for event in events]}")

    def differences(self):
        """Steps whose events are not exactly those expected, in any order, in each of the formats."""
        compared = (step.difference(form, events) for step, form, events in self.all() if step.expected is not None)
        return [difference for difference in compared if difference]
