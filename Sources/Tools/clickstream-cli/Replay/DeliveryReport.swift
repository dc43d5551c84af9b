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
        func number(_ name: String, _ value: Int) -> JSONMember {
            JSONMember(name, .number(JSONNumber(integer: Int64(value))))
        }
        var members = [
            JSONMember("endpoint", .string(endpoint)), number("recorded", recorded), number("delivered", delivered),
        ]
        if !captured.isEmpty {
            let formats = captured.sorted { $0.key < $1.key }.map { number($0.key, $0.value) }
            members.append(JSONMember("captured", .object(formats)))
        }
        JSONValue(.object(members)).write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
