package import ClickstreamCore

/// Makes names, values and whole calls out of the fuzzer's bytes; bytes past the end are zero.
package struct FuzzInput {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    package var isEmpty: Bool { position >= bytes.count }

    /// Everything that is left.
    package mutating func rest() -> UnsafeRawBufferPointer {
        defer { position = bytes.count }
        return UnsafeRawBufferPointer(rebasing: bytes[min(position, bytes.count)...])
    }

    package mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func word() -> UInt64 {
        (0..<8).reduce(0) { sum, _ in sum << 8 | UInt64(byte()) }
    }

    /// Text of the fuzzer's own bytes, what is no UTF-8 in it replaced.
    private mutating func plain() -> String {
        let count = min(Int(byte()), bytes.count - min(position, bytes.count))
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    private static let units = [
        "n", "_", "7", "\u{E9}", "\u{4E2D}", "\u{1F600}", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}", "\u{5E9}", "\0",
        "\"", "\\", "\n", "\u{7F}", "\u{202E}", "\u{FFFF}",
    ]

    /// The numbers of the table, and one more or less.
    private static let lengths = [0, 1, 49, 50, 51, 99, 100, 101, 255, 256, 257, 1_023, 1_024, 1_025, 1_500, 4]

    package mutating func text() -> String {
        let kind = byte()
        if kind < 128 { return plain() }
        let unit = FuzzInput.units[Int(byte()) % FuzzInput.units.count]
        let text = String(repeating: unit, count: FuzzInput.lengths[Int(kind) % FuzzInput.lengths.count])
        return kind < 192 ? text : text + plain()
    }

    private static let known =
        (Array(AttributeName.reserved) + Array(ItemName.preset) + Array(ItemName.renamed.keys)
        + ["item_id", "item_name"]).sorted()

    package mutating func name() -> String {
        let kind = byte()
        switch kind {
        case 0..<64: return FuzzInput.known[Int(kind) % FuzzInput.known.count]
        case 64..<160: return "n\(kind)"
        default: return text()
        }
    }

    private static let eventNames = EventName.reserved.sorted()

    package mutating func eventName() -> String {
        let kind = byte()
        return kind < 64 ? FuzzInput.eventNames[Int(kind) % FuzzInput.eventNames.count] : text()
    }

    package mutating func value() -> AttributeValue {
        switch byte() % 8 {
        case 0: return .integer(Int64(bitPattern: word()))
        case 1: return .integer(Int64(byte()))
        case 2: return .double(Double(bitPattern: word()))
        case 3: return .double(Double(byte()) / 8)
        case 4: return .boolean(byte() & 1 == 1)
        case 5: return .decimal(DecimalNumber(text: "\(byte()).\(byte())", isFinite: byte() < 240))
        default: return .string(text())
        }
    }

    /// Some attributes: mostly few, rarely more than any limit.
    package mutating func attributes() -> Attributes {
        let kind = byte()
        if kind > 252 {
            let value = value()
            return Attributes((0..<Int(kind - 252) * 170).lazy.map { ("m\($0)", value) })
        }
        return Attributes((0..<Int(kind % 16)).map { _ in (name(), value()) })
    }

    package mutating func items() -> [Attributes] {
        let kind = byte()
        if kind > 252 { return Array(repeating: attributes(), count: Int(kind - 252) * 34) }
        return (0..<Int(kind % 4)).map { _ in
            var item: Attributes = byte() & 3 == 0 ? [:] : ["id": 1]
            item.merge(attributes())
            return item
        }
    }
}

/// Stops the fuzzer when `what` does not hold: it has to for every input.
@inline(never)
package func require(_ isTrue: Bool, _ what: @autoclosure () -> String) {
    // The one trap that prints its text in a release build.
    if !isTrue { fatalError(what()) }
}
