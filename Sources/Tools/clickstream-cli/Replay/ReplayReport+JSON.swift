import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

extension ReplayReport {
    /// The report as one JSON object.
    var json: String {
        var members: [JSONMember] = [
            .number("recorded", recorded),
            JSONMember("summary", summaryObject),
            JSONMember("sessions", .array(sessions.map(Self.object))),
            JSONMember("events_by_name", .object(eventsByName.map { .number($0.name, $0.count) })),
            JSONMember("errors_by_code", .object(errorsByCode.map { .number($0.name, $0.count) })),
            JSONMember("requests", .array(requests.map(Self.object))),
        ]
        if !captured.isEmpty {
            members.append(
                JSONMember("captured", .object(captured.map { JSONMember($0.form.rawValue, Self.object($0)) }))
            )
        }
        if let decisions { members.append(JSONMember("decisions", .array(decisions.map(Self.object)))) }
        var bytes: [UInt8] = []
        JSONValue(.object(members)).write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private var summaryObject: JSONValue.Kind {
        .object([
            .number("requests", summary.requests), .number("bad_requests", summary.badRequests),
            .number("events", summary.events), .number("good_events", summary.goodEvents),
            .number("bad_events", summary.badEvents), .number("duplicates", summary.duplicates),
            .number("sessions", summary.sessions), .number("users", summary.users),
        ])
    }

    private static func object(_ captured: Captured) -> JSONValue.Kind {
        let counts = captured.counts
        return .object([
            .number("recorded", captured.recorded), .number("requests", counts.requests),
            .number("bad_requests", counts.badRequests), .number("events", counts.events),
            .number("good_events", counts.events - counts.badEvents), .number("bad_events", counts.badEvents),
            .number("duplicates", counts.duplicates),
        ])
    }

    private static func object(_ decision: Explanations.Decision) -> JSONValue {
        JSONValue(
            .object([
                .number("event", decision.event), .number("session_number", decision.session),
                .boolean("is_new", decision.isNew), .text("reason", decision.reason),
                .number("events", decision.events),
            ])
        )
    }

    private static func object(_ session: CollectedSession) -> JSONValue {
        let screens = session.screens.map { screen in
            JSONValue(
                .object([
                    .text("name", screen.name),
                    .text("unique_id", screen.uniqueID),
                    .time("entered_at", screen.enteredAt),
                    .number("engagement_ms", screen.engagement),
                ])
            )
        }
        return JSONValue(
            .object([
                .text("id", session.id),
                JSONMember("number", session.number.map { .number(JSONNumber(integer: $0)) } ?? .null),
                .list("user_ids", texts: session.userIDs),
                .time("start", session.start),
                .number("duration_ms", session.duration),
                .number("engagement_ms", session.engagement),
                .number("events", session.events),
                .number("errors", session.errors),
                JSONMember("screens", .array(screens)),
            ])
        )
    }

    private static func object(_ request: CollectedRequest) -> JSONValue {
        JSONValue(
            .object([
                .text("id", request.id),
                JSONMember(
                    "event_bundle_sequence_id",
                    request.bundleSequenceID.map { .number(JSONNumber(integer: $0)) } ?? .null
                ),
                .text("status", request.status.rawValue),
                .number("events", request.events),
                .number("duplicates", request.duplicates),
                .number("raw_bytes", request.rawBytes),
                .number("sent_bytes", request.encodedBytes),
            ])
        )
    }
}
