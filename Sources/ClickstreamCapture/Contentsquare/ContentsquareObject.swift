import ClickstreamCore

/// JSON object whose members are in the order of the calls.
struct ContentsquareObject {
    private var bytes = [UInt8(ascii: "{")]

    mutating func append(_ name: String, _ value: String) {
        append(name: name)
        JSONWriter.append(value, to: &bytes)
    }

    mutating func append(_ name: String, _ value: Int64) {
        append(name: name)
        JSONWriter.append(value, to: &bytes)
    }

    mutating func append(_ name: String, _ value: Double) {
        append(name: name)
        JSONWriter.append(value, to: &bytes)
    }

    mutating func append(_ name: String, _ value: Bool) {
        append(name: name)
        JSONWriter.append(value, to: &bytes)
    }

    /// - Parameter json: the complete text of the value.
    mutating func append(_ name: String, json: [UInt8]) {
        append(name: name)
        bytes += json
    }

    /// Appends an object whose members are added by `body`.
    mutating func append(_ name: String, _ body: (inout ContentsquareObject) -> Void) {
        var object = ContentsquareObject()
        body(&object)
        append(name, json: object.json)
    }

    /// The complete object.
    var json: [UInt8] { bytes + [UInt8(ascii: "}")] }

    private mutating func append(name: String) {
        JSONWriter.append(name: name, isFirst: bytes.count == 1, to: &bytes)
    }
}
