#if Tools
import ClickstreamCore

/// What was sent to a server that is not ours to look into.
struct DeliveryReport: Sendable {
    var endpoint: String
    var recorded: Int
    var delivered: Int

    var human: String {
        "\(recorded) events recorded, \(delivered) delivered to \(endpoint)"
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
