import ClickstreamCore

/// Outcome of a replay to a server that is not the collector of this process.
struct DeliveryReport: Sendable {
    var endpoint: String
    /// Events in all formats.
    var recorded: Int
    /// Events in other formats than the clickstream one, which have endpoints of their own.
    var captured: [String: Int]
    var delivered: Int

    var human: String {
        guard !captured.isEmpty else {
            return "\(Plural.events(recorded)) recorded, \(delivered) delivered to \(endpoint)"
        }
        let formats = captured.sorted { $0.key < $1.key }.map { "\($0.value) in the format \($0.key)" }
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
            members.append(.object("captured", captured.sorted { $0.key < $1.key }.map { .number($0.key, $0.value) }))
        }
        JSONValue(.object(members)).write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
