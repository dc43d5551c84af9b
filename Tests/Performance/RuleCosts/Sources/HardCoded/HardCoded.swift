public import ClickstreamCore

/// The published checks as one would write them down without a table: the limits are constants.
public enum HardCoded {
    @inline(__always)
    private static func isName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first, first < UInt8(ascii: "0") || first > UInt8(ascii: "9") else { return false }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return true
    }

    @inline(__always)
    private static func isName(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { isName($0) } ?? false
    }

    /// At most 50 characters, made of letters, digits and underscores, no digit first.
    @inline(never)
    public static func isEventName(_ name: String) -> Bool {
        name.utf8.count <= 50 && isName(name)
    }

    /// A name like an event's, a text of at most 1024 characters, a finite number.
    @inline(never)
    public static func isAttribute(_ name: String, _ value: AttributeValue) -> Bool {
        guard name.utf8.count <= 50, isName(name) else { return false }
        switch value {
        case .string(let text): return text.utf8.count <= 1_024
        case .double(let number): return number.isFinite
        case .decimal(let number): return number.isFinite
        case .integer, .boolean: return true
        }
    }

    /// At most 500 of them, presets included.
    @inline(never)
    public static func areAttributes(_ attributes: Attributes, presetCount: Int) -> Bool {
        for index in attributes.indices {
            let element = attributes[index]
            guard isAttribute(element.name, element.value) else { return false }
        }
        return attributes.count + presetCount <= 500
    }
}
