#if Collector
import ClickstreamJudges
import Foundation
import GRDB

@testable import ClickstreamCollector

/// Removes the tables of captured events, which stores before layout 5 do not have.
func dropCaptured(_ database: Database) throws {
    for table in StoreLayout.capturedRows.map(\.table) + ["captured_totals"] {
        try database.execute(sql: "DROP TABLE \(table)")
    }
}

/// Removes the tables of audit events, which stores before layout 6 do not have.
func dropAudit(_ database: Database) throws {
    for table in StoreLayout.capturedRows.map(\.table) where table.hasPrefix("audit_") {
        try database.execute(sql: "DROP TABLE \(table)")
    }
    try database.execute(sql: "DELETE FROM captured_totals WHERE form = 'audit'")
}

/// Identifier with a number, as captured events have.
func capturedID(_ number: Int) -> String {
    String(format: "FD8AF18C-B0EA-430A-A701-%012X", number)
}

/// A pulse event without findings.
func click(_ number: Int, at offset: Int64 = -1_000, value: String = "Buy") -> String {
    #"{"event_type":"click","event_id":"\#(capturedID(number))","timestamp":\#(FixedTime.start + offset),"#
        + #""is_background":false,"data":{"metadata":{"auto_generated":true,"event_id_source":"sdk"},"#
        + #""connection_type":"WIFI","element":{"type":"button","value":"\#(value)"},"previous_events":[],"sources_info":[]}}"#
}

extension CapturedFormat {
    /// An event of this format without findings; an empty object for a format without a sample.
    func sample(_ number: Int) -> String { Self.samples[rawValue]?(number) ?? "{}" }

    /// A request body with events of this format.
    func text(_ events: [String]) -> String { batch == nil ? "[\(events.joined(separator: ","))]" : wrap(events) }

    /// The format whose events share the header of a batch.
    static let batched: CapturedFormat = {
        guard let format = allCases.first(where: { $0.batch != nil }) else {
            preconditionFailure("Invalid state: no format has batches")
        }
        return format
    }()

    private static let samples: [String: @Sendable (Int) -> String] = [
        "pulse": { click($0) }, batched.rawValue: { swipe($0) }, "audit": { auditEvent($0, "read", data: readPayload) },
    ]
}

private func wrap(_ events: [String]) -> String { batch(events) }
#endif
