/// Validation without values.
extension JSONReader {
    mutating func skipValue(depth: Int) throws(JSONError) {
        switch current {
        case UInt8(ascii: "{"):
            guard try open(UInt8(ascii: "}"), depth: depth + 1) else { return }
            repeat {
                try skipMember(depth: depth + 1)
            } while try goesOn(until: UInt8(ascii: "}"))
        case UInt8(ascii: "["):
            guard try open(UInt8(ascii: "]"), depth: depth + 1) else { return }
            repeat {
                try skipValue(depth: depth + 1)
            } while try goesOn(until: UInt8(ascii: "]"))
        case UInt8(ascii: "\""):
            _ = try scanString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            _ = try scanNumber()
        case UInt8(ascii: "t"):
            try literal("true")
        case UInt8(ascii: "f"):
            try literal("false")
        case UInt8(ascii: "n"):
            try literal("null")
        default:
            throw unexpected("a value")
        }
    }

    mutating func skipMember(depth: Int) throws(JSONError) {
        guard current == UInt8(ascii: "\"") else { throw unexpected("a name in quotation marks") }
        _ = try scanString()
        try colon()
        try skipValue(depth: depth)
    }

    mutating func elementRanges(maxCount: Int) throws(JSONError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        guard try open(UInt8(ascii: "]"), depth: 1) else { return ranges }
        repeat {
            guard ranges.count < maxCount else {
                throw failure(.countExceeded, "more than \(maxCount) elements", at: position)
            }
            let start = position
            try skipValue(depth: 1)
            ranges.append(start..<position)
        } while try goesOn(until: UInt8(ascii: "]"))
        return ranges
    }
}
