"""The targets of the project, and whether the figures of a run meet them.

A target selects a figure by a pattern of its name, independent of the program that measured it; the last match is used. A bound
is a number, or a factor of another figure of the same run.
"""
import re


class Target:
    def __init__(self, text, figure, relation, bound, of=None, note=None):
        self.text, self.figure, self.relation, self.bound, self.of, self.note = text, figure, relation, bound, of, note

    def judge(self, figures):
        """Returns the figure, the figure it is compared with, their ratio, and true if the target is met."""
        figure = find(figures, self.figure)
        if figure is None:
            return {"target": self, "figure": None, "met": None}
        unit = figure["unit"]
        base = 1.0
        if self.of is not None:
            other = figure if self.of == "limit" else find(figures, self.of)
            base = other and other["limit" if self.of == "limit" else "value"]
            if base is None:
                return {"target": self, "figure": figure, "met": None}
        bound = self.bound * base
        value = figure["value"]
        met = value <= bound if self.relation == "<=" else value >= bound
        against = other_name(figures, self)
        ratio = value / base if self.of is not None and base else None
        return {"target": self, "figure": figure, "bound": bound, "ratio": ratio, "against": against, "met": met, "unit": unit}


def other_name(figures, target):
    if target.of is None:
        return None
    if target.of == "limit":
        return find(figures, target.figure)["rival"]
    return find(figures, target.of)["name"]


def find(figures, pattern):
    found = [figure for figure in figures if re.fullmatch(pattern, figure["name"]) and figure["value"] is not None]
    return found[-1] if found else None


RECORD = r"record, 8 attributes, prepared, "

TARGETS = [
    Target("`record` of 8 attributes: p50 at most 1.5 times a bare `write(2)` of the same bytes", RECORD + "p50", "<=", 1.5,
           r"write\(2\), p50"),
    Target("… and at most 1.5 µs", RECORD + "p50", "<=", 1_500),
    Target("… its p99 at most 4 times its p50", RECORD + "p99", "<=", 4, RECORD + "p50"),
    Target("… its p99.9 at most 50 µs while another process saturates the disk", "record, disk saturated, p99.9", "<=", 50_000),
    Target("sustained on one thread: at least 500 000 events/s", "record, sustained, one thread", ">=", 500_000),
    Target("… 1 000 times the published algorithm with 2 000 events queued", "record, sustained, one thread", ">=", 1_000,
           "published algorithm, 2000 queued"),
    Target("… 60 times Segment's 7 200 events/s", "record, sustained, one thread", ">=", 60 * 7_200),
    Target("… two threads together as fast as one (2 % is noise)", "record, sustained, two threads", ">=", 0.98, "limit"),
    # A new segment makes some allocations every 3 000 events.
    Target("no allocation for an event (new segments need 0.02)", r"record, 8 attributes, prepared: allocations", "<=",
           0.02),
    Target("… none beyond the caller's own literal (1 % is noise)", r"record, 8 attributes, literal: allocations", "<=", 1.01,
           r"the literal of 8 attributes alone: allocations"),
    Target("`record` with 1 000 000 events queued: within 10 % of an empty store", r"record, \d+ queued, p50", "<=", 1.1, "limit"),
    Target("reopening 50 MB after a crash: at most 50 ms", "reopen, 50 MB", "<=", 50),
    Target("at most 4 MiB of anonymous memory with 1 000 000 events queued", r"anonymous memory of the client, \d+0000 queued", "<=", 4),
    Target("… at most 0.5 MiB more than with 10 000", r"anonymous memory, growth from 10 000 to \d+ queued", "<=", 0.5),
    Target("flush without network: at least 90 % of zlib, SHA-256 and base64 back to back", "flush without network", ">=", 0.9,
           "limit"),
    Target("flush on loopback, client on one core: at least 250 000 events/s", "flush on loopback", ">=", 250_000),
    Target("collector, durable and validated, batches of 100, 2 cores shared with the load generator: at least 100 000 events/s",
           r"collector ingest.*", ">=", 100_000),
    Target("… as fast with 10 000 idle connections (5 % is noise)", r"collector rate, beside 10000 idle connections", ">=", 0.95,
           "limit"),
    Target("`replay --dry-run`: at least 300 000 scripted events/s", "replay --dry-run", ">=", 300_000),
    Target("… a scripted month in less than a second", "replay --dry-run, a scripted month", "<=", 1_000),
    Target("`initSDK` with a backlog of 50 MB: at most 5 ms on the calling thread", "initSDK, 50 MB queued", "<=", 5),
    Target("`clickstream-cli --help`: at most 30 ms", "--help, from start to end", "<=", 30),
    Target("binary size: at most 1.5 MB more for a program that already uses FoundationNetworking", "size that the SDK adds, stripped",
           "<=", 1.5),
]
