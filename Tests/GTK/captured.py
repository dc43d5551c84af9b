"""Captured events, independent of the formats that record them. The text of an event is the same in every run."""

import dataclasses
from dataclasses import dataclass, field


def words(*parts):
    return " ".join(str(part) for part in parts if part is not None)


def fact():
    """A value of single events, which is not part of the text."""
    return field(default=None, compare=False)


@dataclass(frozen=True)
class Captured:
    def without(self, *fields):
        """The event in a format that lacks these fields."""
        return dataclasses.replace(self, **dict.fromkeys(fields))


@dataclass(frozen=True)
class App(Captured):
    """The application starts, is shown or is hidden."""

    change: str

    def __str__(self):
        return self.change


@dataclass(frozen=True)
class Load(Captured):
    """A page is created."""

    page: str

    def __str__(self):
        return words("load", self.page)


@dataclass(frozen=True)
class View(Captured):
    """A page appears."""

    page: str

    def __str__(self):
        return words("view", self.page)


@dataclass(frozen=True)
class Touch(Captured):
    """A gesture of one finger, or of the pressed button of the pointer, on the innermost control."""

    kind: str
    target: str
    direction: str = None
    distance: int = fact()
    velocity: int = fact()

    def __str__(self):
        return words("touch", self.kind, self.direction, self.target)


@dataclass(frozen=True)
class Gesture(Captured):
    """A gesture that a recognizer of the application has recognized."""

    kind: str
    name: str
    page: str

    def __str__(self):
        return words("gesture", self.kind, self.name, "on", self.page)


@dataclass(frozen=True)
class Click(Captured):
    """The user activates a control. `name` is the class of a control without one, `key` the message id of the value,
    and `length` that of an entered text."""

    type: str
    name: str
    page: str
    value: str = None
    key: str = None
    length: int = None

    def __str__(self):
        value = f"{self.length} characters" if self.length is not None else self.value
        key = self.key and f"key {self.key!r}"
        return words("click", self.type, self.name, value and repr(value), key, "on", self.page)


@dataclass(frozen=True)
class Scroll(Captured):
    direction: str
    name: str
    page: str
    distance: int = fact()

    def __str__(self):
        return words("scroll", self.direction, self.name, "on", self.page)


@dataclass(frozen=True)
class Impression(Captured):
    """Items of a list were seen."""

    name: str
    page: str

    def __str__(self):
        return words("impression", self.name, "on", self.page)


@dataclass(frozen=True)
class Transaction(Captured):
    value: float
    currency: str

    def __str__(self):
        return words("transaction", f"{self.value:g}", self.currency)


@dataclass(frozen=True)
class Other(Captured):
    """An event that no step expects."""

    kind: str

    def __str__(self):
        return self.kind


def opened(*pages):
    """Pages that the user opens for the first time."""
    return [event for page in pages for event in (Load(page), View(page))]
