import ClickstreamCore

/// Writer that appends a JSON object to bytes, member by member, without further memory.
struct JSONObjectWriter {
    private var hasMembers = false

    /// Begins the object.
    init(_ bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
    }

    /// Writes a name; the caller appends the value.
    /// - Parameter name: must not contain characters that JSON escapes.
    mutating func begin(_ name: StaticString, _ bytes: inout [UInt8]) {
        if hasMembers { bytes.append(UInt8(ascii: ",")) }
        hasMembers = true
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: "\":".utf8)
    }

    mutating func add(_ name: StaticString, _ text: String?, _ bytes: inout [UInt8]) {
        begin(name, &bytes)
        if let text { JSONWriter.append(text, to: &bytes) } else { JSONWriter.appendNull(to: &bytes) }
    }

    mutating func add(_ name: StaticString, _ number: Int64?, _ bytes: inout [UInt8]) {
        begin(name, &bytes)
        if let number { JSONWriter.append(number, to: &bytes) } else { JSONWriter.appendNull(to: &bytes) }
    }

    mutating func add<Element>(
        _ name: StaticString,
        _ elements: [Element],
        _ bytes: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        begin(name, &bytes)
        Self.appendList(elements, &bytes, append)
    }

    func end(_ bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes an array.
    static func appendList<Element>(
        _ elements: [Element],
        _ bytes: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}
