import ClickstreamCore

/// Outcome of a replay to a server that is not the collector of this process.
struct DeliveryReport: Sendable {
    var endpoint: String
    /// Events in all formats.
    var recorded: Int
    /// Events in other formats than the clickstream one, which have endpoints of their own.
    var captured: [FormatName: Int]
    var delivered: Int

    /// ``captured`` in the order of the formats' names.
    private var counts: [(format: FormatName, count: Int)] {
        captured.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }

    var human: String {
        guard !captured.isEmpty else {
            return "\(Plural.events(recorded)) recorded, \(delivered) delivered to \(endpoint)"
        }
        let formats = counts.map { "\($0.count) in the format \($0.format)" }
        return
            "\(Plural.events(recorded)) recorded, of them \(formats.joined(separator: " and ")); \(delivered) delivered"
    }

    /// `{ "endpoint", "recorded", "delivered" }`, and `captured` by format, if there are any.
    var json: String {
        var bytes: [UInt8] = []
        var members: [JSONMember] = [
            .text("endpoint", endpoint), .number("recorded", recorded), .number("delivered", delivered),
        ]
        if !captured.isEmpty {
            members.append(.object("captured", counts.map { .number($0.format.rawValue, $0.count) }))
        }
        JSONValue(.object(members)).write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
