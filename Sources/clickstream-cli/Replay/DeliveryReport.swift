#if Tools
import ClickstreamCore

/// Outcome of a replay to a server that is not the collector of this process.
struct DeliveryReport: Sendable {
    var endpoint: String
    var recorded: Int
    var delivered: Int

    var human: String {
        "\(Plural.events(recorded)) recorded, \(delivered) delivered to \(endpoint)"
    }

    /// `{ "endpoint", "recorded", "delivered" }`.
    var json: String {
        var bytes: [UInt8] = []
        JSONValue(
            .object([
                JSONMember("endpoint", .string(endpoint)),
                JSONMember("recorded", .number(JSONNumber(integer: Int64(recorded)))),
                JSONMember("delivered", .number(JSONNumber(integer: Int64(delivered)))),
            ])
        ).write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
