"""Draws lines as an SVG that is readable on light and dark pages, with the standard library only."""
import math
from html import escape

WIDTH, HEIGHT = 880, 460
LEFT, RIGHT, TOP, BOTTOM = 86, 250, 64, 62
# Lines also differ in lightness and dash, for readers with colour vision deficiency.
LIGHT = ["#0550ae", "#bc4c00", "#116329", "#8250df", "#cf222e", "#57606a", "#9a6700"]
DARK = ["#79c0ff", "#ffa657", "#7ee787", "#d2a8ff", "#ff7b72", "#8b949e", "#e3b341"]
DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 4", "1 4", "12 4"]


class Axis:
    """Maps values to pixels."""

    def __init__(self, kind, values, pixels, title, form):
        self.kind, self.pixels, self.title, self.form = kind, pixels, title, form
        if kind == "share":
            # Percentiles: each nine has the same width.
            self.low, self.high = 0, max(1, math.ceil(max(self._nines(value) for value in values) - 1e-9))
            self.ticks = [value for value in (0, 50, 90, 99, 99.9, 99.99) if self._nines(value) <= self.high + 1e-9]
        elif kind == "log":
            low, high = min(values), max(values)
            self.low = math.floor(math.log10(low) + 1e-9)
            self.high = max(self.low + 1, math.ceil(math.log10(high) - 1e-9))
            self.ticks = [10.0**power for power in range(self.low, self.high + 1)]
        else:
            step = self._step(max(values))
            self.low, self.high = 0, math.ceil(max(values) / step - 1e-9) * step
            self.ticks = [step * index for index in range(int(round(self.high / step)) + 1)]

    @staticmethod
    def _nines(share):
        return -math.log10(max(1e-9, 1 - share / 100))

    @staticmethod
    def _step(maximum):
        raw = (maximum or 1) / 5
        power = 10 ** math.floor(math.log10(raw))
        return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw - 1e-12)

    def at(self, value):
        if self.kind == "share":
            value = self._nines(value)
        elif self.kind == "log":
            value = math.log10(max(value, 10**self.low))
        part = (value - self.low) / (self.high - self.low)
        return self.pixels[0] + part * (self.pixels[1] - self.pixels[0])


def nanoseconds(value):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g} ns"


def number(value):
    return f"{value:,.0f}".replace(",", " ") if value == int(value) else f"{value:g}"


def percent(value):
    return f"{value:g} %"


def draw(title, series, x, y, note=""):
    """Returns the text of an SVG, or `None` without points.

    series: a list of (name, points); x, y: (kind, title, form), kind being log, linear or share.
    """

    def is_drawable(value, kind):
        return value is not None and math.isfinite(value) and (kind != "log" or value > 0)

    series = [(name, [(a, b) for a, b in points if is_drawable(a, x[0]) and is_drawable(b, y[0])]) for name, points in series]
    series = [(name, points) for name, points in series if points]
    if not series:
        return None
    across = Axis(x[0], [a for _, points in series for a, _ in points], (LEFT, WIDTH - RIGHT), x[1], x[2])
    up = Axis(y[0], [b for _, points in series for _, b in points], (HEIGHT - BOTTOM, TOP), y[1], y[2])
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        f' role="img" aria-label="{escape(title)}">',
        "<style>",
        "text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328 }",
        ".title { font-size: 16px; font-weight: 600 } .small { font-size: 12px; fill: #59636e }",
        ".page { fill: #ffffff } .grid { stroke: #d1d9e0; stroke-width: 1 } .line { fill: none; stroke-width: 2.5 }",
        *(f".s{index} {{ stroke: {color} }} .f{index} {{ fill: {color} }}" for index, color in enumerate(LIGHT)),
        "@media (prefers-color-scheme: dark) {",
        "text { fill: #e6edf3 } .small { fill: #9198a1 } .page { fill: #0d1117 } .grid { stroke: #30363d }",
        *(f".s{index} {{ stroke: {color} }} .f{index} {{ fill: {color} }}" for index, color in enumerate(DARK)),
        "}",
        "</style>",
        f'<rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="6"/>',
        f'<text class="title" x="16" y="28">{escape(title)}</text>',
        f'<text class="small" x="16" y="47">{escape(note)}</text>',
    ]
    for tick in across.ticks:
        position = across.at(tick)
        out.append(f'<line class="grid" x1="{position:.1f}" x2="{position:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        out.append(
            f'<text class="small" x="{position:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{across.form(tick)}</text>'
        )
    for tick in up.ticks:
        position = up.at(tick)
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{position:.1f}" y2="{position:.1f}"/>')
        out.append(f'<text class="small" x="{LEFT - 8}" y="{position + 4:.1f}" text-anchor="end">{up.form(tick)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle:.0f}" y="{HEIGHT - 18}" text-anchor="middle">{escape(across.title)}</text>')
    height = (TOP + HEIGHT - BOTTOM) / 2
    out.append(
        f'<text x="18" y="{height:.0f}" text-anchor="middle" transform="rotate(-90 18 {height:.0f})">{escape(up.title)}</text>'
    )
    ends = []
    for index, (name, points) in enumerate(series):
        color = index % len(LIGHT)
        dash = f' stroke-dasharray="{DASHES[color]}"' if DASHES[color] else ""
        path = " ".join(f"{across.at(a):.1f},{up.at(b):.1f}" for a, b in points)
        out.append(f'<polyline class="line s{color}"{dash} points="{path}"/>')
        if len(points) <= 12:
            out += [f'<circle class="f{color}" cx="{across.at(a):.1f}" cy="{up.at(b):.1f}" r="3"/>' for a, b in points]
        last = points[-1]
        ends.append([up.at(last[1]), across.at(last[0]), name, color])
    # Labels at the ends of the lines, moved apart.
    ends.sort()
    labels = []
    for end in ends:
        labels.append(max(end[0], labels[-1] + 17) if labels else end[0])
    over = max(0, labels[-1] - (HEIGHT - BOTTOM)) if labels else 0
    for index in reversed(range(len(labels))):
        limit = HEIGHT - BOTTOM if index == len(labels) - 1 else labels[index + 1] - 17
        labels[index] = min(labels[index], limit) if over else labels[index]
    edge = WIDTH - RIGHT
    for (y_end, x_end, name, color), label in zip(ends, labels):
        out.append(
            f'<line class="s{color}" stroke-width="1" opacity="0.6" x1="{x_end:.1f}" y1="{y_end:.1f}" x2="{edge + 12}"'
            f' y2="{label:.1f}"/>'
        )
        out.append(f'<text class="f{color}" x="{edge + 16}" y="{label + 4:.1f}">{escape(name)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


PICTURES = {
    "record latency": ("record-latency.svg", "Latency of recording an event", ("share", "percentile of calls", percent),
                       ("log", "time of the call", nanoseconds), "event of 8 attributes; lower is better"),
    "queue length": ("queue-length.svg", "Cost of an event by queue length", ("log", "events in the queue", number),
                     ("log", "median time of the call", nanoseconds), "lower is better; expected: flat"),
    "attributes of an event": ("attributes.svg", "Cost of an event by number of attributes", ("linear", "attributes", number),
                               ("linear", "median time of the call", nanoseconds), "expected: a straight line"),
    "users in a replay": ("users.svg", "Cost of an event and of a login by number of users", ("log", "users", number),
                          ("log", "time", nanoseconds), "replays of ten events for each user; expected: flat"),
    "stored events": ("stored-events.svg", "Cost of an event by number of stored events", ("linear", "stored events", number),
                      ("linear", "time of an event", nanoseconds), "client and collector on one machine; expected: flat"),
}
