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

/// Identifier with a number, as events of the pulse and contentsquare formats have.
func capturedID(_ number: Int) -> String {
    String(format: "FD8AF18C-B0EA-430A-A701-%012X", number)
}

/// A pulse event without findings.
func click(_ number: Int, at offset: Int64 = -1_000, value: String = "Buy") -> String {
    #"{"event_type":"click","event_id":"\#(capturedID(number))","timestamp":\#(FixedTime.start + offset),"#
        + #""is_background":false,"data":{"metadata":{"auto_generated":true,"event_id_source":"sdk"},"#
        + #""connection_type":"WIFI","element":{"type":"button","value":"\#(value)"},"previous_events":[],"sources_info":[]}}"#
}

/// An event of a contentsquare batch without findings.
func swipe(
    _ number: Int,
    session: Int = 1,
    own: String = #""ea":9,"tvp":"[root]","tvid":"","fd":3,"tvd":100,"tvv":99"#
)
    -> String
{
    #"{"upt":1522,"euid":"\#(capturedID(number))","url":"app-android://shop/Home?title=Home","scn":0,"c":1,"o":0,"#
        + #""vo":{"sv":"1.1.0","sb":4,"av":"2","af":"release","ab":1},"sn":\#(session),"t":\#(FixedTime.start - 1_000),\#(own)}"#
}

/// A batch of events.
func batch(_ events: [String]) -> String {
    header.dropLast() + #","pl":[\#(events.joined(separator: ","))]}"#
}

extension CapturedFormat {
    /// An event of this format without findings; an empty object for a format without a sample.
    func sample(_ number: Int) -> String { Self.samples[name]?(number) ?? "{}" }

    /// A request body with events of this format.
    func text(_ events: [String]) -> String { batch == nil ? "[\(events.joined(separator: ","))]" : wrap(events) }

    private static let samples: [String: @Sendable (Int) -> String] = [
        "pulse": { click($0) }, "contentsquare": { swipe($0) }, "audit": { auditEvent($0, "read", data: readPayload) },
    ]
}

private func wrap(_ events: [String]) -> String { batch(events) }

/// The header of ``batch(_:)``.
let header =
    #"{"pid":8,"uid":"ac1529a7-59f6-49d9-b254-6f0a22f57284","dt":4,"os":"13.1","l":"en_US","tz":"Europe/Paris","#
    + #""now":\#(FixedTime.start),"to":{"an":"shop","st":"sdk-ios","sf":"release"},"r":{"w":1080,"h":1920,"d":1.5}}"#
#endif
