import ClickstreamCollector
import ClickstreamCore
import ClickstreamJudges

extension ReplayReport {
    /// The report as one JSON object.
    var json: String {
        var members = [
            JSONMember("recorded", .number(JSONNumber(integer: Int64(recorded)))),
            JSONMember("summary", summaryObject),
            JSONMember("sessions", .array(sessions.map(Self.object))),
            JSONMember("events_by_name", .object(eventsByName.map(Self.member))),
            JSONMember("errors_by_code", .object(errorsByCode.map(Self.member))),
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
            Self.member("requests", summary.requests), Self.member("bad_requests", summary.badRequests),
            Self.member("events", summary.events), Self.member("good_events", summary.goodEvents),
            Self.member("bad_events", summary.badEvents), Self.member("duplicates", summary.duplicates),
            Self.member("sessions", summary.sessions), Self.member("users", summary.users),
        ])
    }

    private static func object(_ captured: Captured) -> JSONValue.Kind {
        let counts = captured.counts
        return .object([
            member("recorded", captured.recorded), member("requests", counts.requests),
            member("bad_requests", counts.badRequests), member("events", counts.events),
            member("good_events", counts.events - counts.badEvents), member("bad_events", counts.badEvents),
            member("duplicates", counts.duplicates),
        ])
    }

    private static func object(_ decision: Explanations.Decision) -> JSONValue {
        JSONValue(
            .object([
                member("event", decision.event), member("session_number", decision.session),
                JSONMember("is_new", .boolean(decision.isNew)), JSONMember("reason", .string(decision.reason)),
                member("events", decision.events),
            ])
        )
    }

    private static func object(_ session: CollectedSession) -> JSONValue {
        let screens = session.screens.map { screen in
            JSONValue(
                .object([
                    JSONMember("name", screen.name.map { .string($0) } ?? .null),
                    JSONMember("unique_id", screen.uniqueID.map { .string($0) } ?? .null),
                    member("entered_at", Int(screen.enteredAt.milliseconds)),
                    member("engagement_ms", Int(screen.engagement)),
                ])
            )
        }
        return JSONValue(
            .object([
                JSONMember("id", .string(session.id)),
                JSONMember("number", session.number.map { .number(JSONNumber(integer: $0)) } ?? .null),
                JSONMember("user_ids", .array(session.userIDs.map { JSONValue(.string($0)) })),
                member("start", Int(session.start.milliseconds)),
                member("duration_ms", Int(session.duration)),
                member("engagement_ms", Int(session.engagement)),
                member("events", session.events),
                member("errors", session.errors),
                JSONMember("screens", .array(screens)),
            ])
        )
    }

    private static func object(_ request: CollectedRequest) -> JSONValue {
        JSONValue(
            .object([
                JSONMember("id", .string(request.id)),
                JSONMember(
                    "event_bundle_sequence_id",
                    request.bundleSequenceID.map { .number(JSONNumber(integer: $0)) } ?? .null
                ),
                JSONMember("status", .string(request.status.rawValue)),
                member("events", request.events),
                member("duplicates", request.duplicates),
                member("raw_bytes", request.rawBytes),
                member("sent_bytes", request.encodedBytes),
            ])
        )
    }

    private static func member(_ name: String, _ number: Int) -> JSONMember {
        JSONMember(name, .number(JSONNumber(integer: Int64(number))))
    }

    private static func member(_ count: Count) -> JSONMember {
        member(count.name, count.count)
    }
}
