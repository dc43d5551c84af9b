"""Sessions from an archive of stored requests: the rows of a collector's /api/sessions, on any number of machines.

    spark-submit sessions.py ARCHIVE --output DIR [--format json|parquet] [--where "day = 21"] [--good-only] [--summary]

ARCHIVE is a folder or an object store's address that `clickstream-cli collect --archive` or the published server's S3
sink has written: year=/month=/day=/hour= folders of gzip files, one stored request a line. Needs Spark 3.5 or 4, and
no other package. Every request is read once, duplicate events are removed by id and timestamp, and sessions are made
after one shuffle by session; no step gathers more than one session in one place.
"""

import argparse
import base64
import binascii
import json
import re
import zlib

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

# Fields of a stored request that are read.
REQUEST = "rid string, timestamp string, data string"

# Fields of an event, in the order of `event_row`. `problem` is the first reason for which the pipeline rejects it.
EVENT = """struct<
    position: int, event_id: string, event_time: bigint, app_id: string, name: string, session_id: string,
    session_number: bigint, session_start: bigint, unique_id: string, user_id: string, screen_name: string,
    screen_unique_id: string, engagement: bigint, reports_error: boolean, problem: string>"""

SCREENS = "array<struct<name: string, unique_id: string, entered_at: bigint, engagement_ms: bigint>>"

INFLATION_LIMIT = 64 * 1024 * 1024
EVENT_LIMIT = 100_000
FRESHNESS_MS = 72 * 3_600_000
# Times of the years 1973 to 5138. Others are in seconds, microseconds or nanoseconds.
FIRST_MS, LAST_MS = 10**11, 10**14 - 1
TIMELESS = ["_first_open", "_first_visit", "_profile_set"]
WHOLE_NUMBERS = [
    "timestamp", "screen_height", "screen_width", "zone_offset", "event_previous_timestamp", "viewport_width",
    "viewport_height",
]
SPACE = "".join(map(chr, range(0x21)))


# A request's body: text to events. Plain Python, because Spark has nothing that inflates gzip within a column.


class Number(str):
    """A JSON number as written: 1.0 is not an integer to the pipeline, and 5 can be an id."""


class Unreadable(Exception):
    """Reason why a body cannot be read."""


def events_of(body):
    """Returns the reason why a stored body cannot be read, or the rows of its events."""
    try:
        return None, [event_row(place, event) for place, event in enumerate(array_of(body or ""))]
    except Unreadable as reason:
        return str(reason), []


def array_of(body):
    """Returns the array of a body, which contains its text or base64 of its gzip."""
    text = body.strip(SPACE)
    if not text:
        raise Unreadable("empty")
    if not (text.startswith("[") and text.endswith("]")):
        text = inflated(text).strip(SPACE)
        if not text:
            raise Unreadable("empty")
    try:
        array = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Unreadable("json") from None
    if not isinstance(array, list):
        raise Unreadable("not_an_array")
    if len(array) > EVENT_LIMIT:
        raise Unreadable("too_many")
    return array


def inflated(text):
    if len(text) % 4 or not re.fullmatch("[A-Za-z0-9+/]*={0,2}", text):
        raise Unreadable("base64")
    try:
        packed = base64.b64decode(text)
    except binascii.Error:
        raise Unreadable("base64") from None
    plain = b""
    while packed:
        inflater = zlib.decompressobj(wbits=31)
        try:
            plain += inflater.decompress(packed, INFLATION_LIMIT + 1 - len(plain))
        except zlib.error:
            raise Unreadable("gzip") from None
        if len(plain) > INFLATION_LIMIT:
            raise Unreadable("inflation_limit")
        if not inflater.eof:
            raise Unreadable("gzip")
        packed = inflater.unused_data
    try:
        return plain.decode()
    except UnicodeDecodeError:
        raise Unreadable("json") from None


def refuse(word):
    """Rejects NaN and Infinity, which Python reads as numbers."""
    raise ValueError(word)


def event_row(place, event):
    fields = event if isinstance(event, dict) else {}
    attributes = object_in(fields, "attributes")
    user = object_in(object_in(fields, "user"), "_user_id")
    name = last_text(fields, "event_type", "event_name")
    return (
        place,
        text_in(fields, "event_id"),
        whole_in(fields, "timestamp"),
        text_in(fields, "app_id"),
        name,
        text_in(attributes, "_session_id"),
        whole_in(attributes, "_session_number"),
        whole_in(attributes, "_session_start_timestamp"),
        last_text(fields, "unique_id", "user_pseudo_id"),
        text_in(user, "value"),
        text_in(attributes, "_screen_name"),
        text_in(attributes, "_screen_unique_id"),
        whole_in(attributes, "_engagement_time_msec"),
        name in ("_clickstream_error", "_app_exception") or "_error_code" in attributes,
        problem_of(event, name),
    )


def problem_of(event, name):
    """Returns why the published cleaner rejects an event at any time; `with_late_problems` adds the rest."""
    if not isinstance(event, dict):
        return "etl_not_an_object"
    for field in ("event_id", "app_id", "timestamp"):
        if event.get(field) is None or field == "app_id" and event[field] == "":
            return "etl_missing_" + field
    if any(event.get(field) is not None and whole_in(event, field) is None for field in WHOLE_NUMBERS):
        return "etl_not_an_integer"
    return None if name else "etl_missing_event_type"


def object_in(fields, name):
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def last_text(fields, *names):
    """Returns the last non-empty text under any of these names."""
    texts = [text_in(fields, name) for name in fields if name in names]
    return next(filter(None, reversed(texts)), None)


def text_in(fields, name):
    """Returns a text, or a number as written; `None` if empty. Invalid Unicode is replaced."""
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        return None
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def whole_in(fields, name):
    """Returns an integer of 64 bits that is written without fraction and exponent."""
    value = fields.get(name)
    if not isinstance(value, Number) or not re.fullmatch("-?[0-9]{1,19}", value):
        return None
    number = int(value)
    return number if -(2**63) <= number < 2**63 else None


# Screens of a session, from its events in the order of their time.


def screens_of(events):
    """Engagement is that of `_user_engagement`, or else that of the next view."""
    screens = []
    is_stay_told = False
    for event in events:
        stay = max(0, event.engagement or 0)
        if event.name == "_screen_view":
            if screens and not is_stay_told:
                screens[-1][3] += stay
            is_stay_told = False
            screens.append([event.screen_name, event.screen_unique_id, event.happened_at, 0])
        elif event.name == "_user_engagement":
            shown = next((screen for screen in reversed(screens) if fits(event, screen)), None)
            if shown:
                shown[3] += stay
            is_stay_told = True
        elif event.name == "_app_start":
            is_stay_told = False
    return [(name, unique_id, entered_at, min(stay, 2**63 - 1)) for name, unique_id, entered_at, stay in screens]


def fits(event, screen):
    return event.screen_name in (None, screen[0]) and event.screen_unique_id in (None, screen[1])


# Steps; each makes a table of the one before.


def requests(spark: SparkSession, archive: str, where: str | None = None) -> DataFrame:
    """Returns stored requests with their place in the order of arrival. `where` selects folders."""
    stored = spark.read.schema(REQUEST).json(archive)
    if where:
        stored = stored.where(where)
    # `monotonically_increasing_id` keeps the order within a file.
    arrival = F.struct("timestamp", F.input_file_name().alias("file"), F.monotonically_increasing_id().alias("line"))
    return stored.select(
        "rid", "data", arrival.alias("arrival"), F.unix_millis(F.to_timestamp("timestamp")).alias("received_at")
    )


def decoded(requests: DataFrame) -> DataFrame:
    """Returns requests with the content of their bodies: `flaw`, or `events`."""
    decode = F.udf(events_of, f"struct<flaw: string, events: array<{EVENT}>>", useArrow=False)
    return requests.select("rid", "arrival", "received_at", decode("data").alias("body")).select(
        "rid", "arrival", "received_at", "body.flaw", "body.events"
    )


def events(decoded: DataFrame) -> DataFrame:
    """Returns one row for each event; of those with the same id and timestamp the first one."""
    exploded = decoded.select("arrival", "received_at", F.explode("events").alias("event")).select(
        F.struct("arrival.*", "event.position").alias("arrival"), "received_at", "event.*"
    )
    same = Window.partitionBy("event_id", "event_time").orderBy("arrival")
    can_repeat = F.col("event_id").isNotNull() & F.col("event_time").isNotNull()
    repeated = exploded.where(can_repeat).withColumn("copy", F.row_number().over(same))
    unique = repeated.where("copy = 1").drop("copy").unionByName(exploded.where(~can_repeat))
    return with_late_problems(unique).withColumn("happened_at", F.coalesce("event_time", "received_at"))


def with_late_problems(events: DataFrame) -> DataFrame:
    """The published cleaner drops what is later than its clock, and what is older than 72 hours.

    A time that is not in milliseconds is a problem of its own: it is dropped, or stored as a wrong date.
    """
    is_sound = F.col("problem").isNull()
    is_timeless = F.coalesce(F.col("name").isin(TIMELESS), F.lit(False))
    is_other_unit = ~F.col("event_time").between(FIRST_MS, LAST_MS)
    late = (
        F.when(F.col("event_time") > F.col("received_at"), "etl_future")
        .when(F.try_subtract("received_at", "event_time") > FRESHNESS_MS, "etl_stale")
    )
    return events.withColumn(
        "problem",
        F.when(is_sound & is_other_unit, "etl_time_unit")
        .when(is_sound & ~is_timeless, late)
        .otherwise(F.col("problem")),
    )


def sessions(events: DataFrame) -> DataFrame:
    """Returns one row for each app id and session id, with the names and values of /api/sessions."""
    screens = F.udf(screens_of, SCREENS, useArrow=False)
    step = F.struct(
        "happened_at", "arrival", "name", "session_number", "unique_id", "user_id", "screen_name", "screen_unique_id",
        "engagement",
    )
    stay = F.when((F.col("name") == "_user_engagement") & (F.col("engagement") > 0), F.col("engagement"))
    started = F.when(F.col("session_start").isNotNull(), F.struct("arrival", "session_start"))

    def in_order(field):
        return F.filter(F.transform("steps", lambda step: step[field]), lambda value: value.isNotNull())

    gathered = events.where("session_id IS NOT NULL").groupBy("app_id", "session_id").agg(
        F.array_sort(F.collect_list(step)).alias("steps"),
        F.min("arrival").alias("first_arrival"),
        F.min(started)["session_start"].alias("session_start"),
        F.min("happened_at").alias("first"),
        F.max("happened_at").alias("last"),
        F.count("*").alias("events"),
        F.coalesce(F.try_sum(stay), F.lit(0)).alias("engagement_ms"),
        F.count_if("reports_error").alias("errors"),
    )
    start = F.coalesce("session_start", "first")
    return gathered.select(
        F.col("session_id").alias("id"),
        F.get(in_order("session_number"), F.lit(0)).alias("number"),
        "app_id",
        F.array_distinct(in_order("user_id")).alias("user_ids"),
        F.array_distinct(in_order("unique_id")).alias("unique_ids"),
        start.alias("start"),
        "last",
        F.greatest(F.try_subtract("last", start), F.lit(0)).alias("duration_ms"),
        "events",
        screens("steps").alias("screens"),
        "engagement_ms",
        "errors",
        "first_arrival",
    )


def summary(decoded: DataFrame, events: DataFrame) -> dict:
    """Returns the counts of /api/summary, and the events that the pipeline rejects."""
    of_requests = decoded.agg(
        F.count("*").alias("requests"),
        F.count("flaw").alias("bad_requests"),
        F.coalesce(F.sum(F.size("events")), F.lit(0)).alias("sent"),
    ).first()
    of_events = events.agg(
        F.count("*").alias("events"),
        F.count_distinct("unique_id").alias("users"),
        F.count_distinct(F.when(F.col("session_id").isNotNull(), F.struct("app_id", "session_id"))).alias("sessions"),
    ).first()
    problems = events.where("problem IS NOT NULL").groupBy("problem").count().orderBy("problem").collect()
    return {
        "requests": of_requests.requests,
        "bad_requests": of_requests.bad_requests,
        "events": of_events.events,
        "duplicates": of_requests.sent - of_events.events,
        "sessions": of_events.sessions,
        "users": of_events.users,
        "problems": {row.problem: row["count"] for row in problems},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--output", required=True, help="a folder that is not there yet")
    parser.add_argument("--format", choices=["json", "parquet"], default="parquet")
    parser.add_argument("--where", help="the folders to read, such as \"year = 2026 AND month = 11\"")
    parser.add_argument("--good-only", action="store_true", help="leave out what the published pipeline drops")
    parser.add_argument("--summary", action="store_true", help="print what was read, which keeps it on disk meanwhile")
    options = parser.parse_args()

    spark = SparkSession.builder.appName("clickstream sessions").getOrCreate()
    bodies = decoded(requests(spark, options.archive, options.where))
    if options.summary:
        bodies = bodies.persist()
    found = events(bodies)
    kept = found.where("problem IS NULL") if options.good_only else found
    writer = sessions(kept).drop("first_arrival").write
    (writer.option("ignoreNullFields", "false").json if options.format == "json" else writer.parquet)(options.output)
    if options.summary:
        print(json.dumps(summary(bodies, found)))
    spark.stop()


if __name__ == "__main__":
    main()
