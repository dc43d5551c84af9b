/// Counts and looks at text as the rules see it: Unicode scalars for lengths, ASCII bytes for names.
///
/// Nothing here allocates, apart from ``reported(_:)``. A text of any size is judged without walking it when its bytes
/// already tell: at most N bytes is at most N scalars, more than 4 N bytes is more than N scalars.
package enum Characters: Sendable {
    /// The most bytes that one scalar takes in UTF-8.
    private static let widestScalar = 4

    /// Whether `text` has more than `limit` Unicode scalars.
    @inline(__always)
    package static func areMore(in text: String, than limit: Int) -> Bool {
        let bytes = text.utf8.count
        return bytes > limit && (bytes / widestScalar > limit || count(text) > limit)
    }

    /// The number of Unicode scalars; walks the whole text.
    package static func count(_ text: String) -> Int {
        // Every byte that does not continue a scalar starts one; several times as fast as the view of scalars.
        let starts = text.utf8.withContiguousStorageIfAvailable { bytes in
            var starts = 0
            for byte in bytes where byte & 0b1100_0000 != 0b1000_0000 { starts += 1 }
            return starts
        }
        return starts ?? text.unicodeScalars.count
    }

    /// Whether `text` is a name: ASCII letters, digits and underscores, not empty, no digit first.
    @inline(__always)
    package static func areName(_ text: String) -> Bool {
        var view = text.utf8.makeIterator()
        guard let first = view.next(), isLetter(first) else { return false }
        while let byte = view.next() {
            guard isLetter(byte) || byte &- UInt8(ascii: "0") < 10 else { return false }
        }
        return true
    }

    /// An ASCII letter or the underscore.
    @inline(__always)
    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }

    /// Whether `text` starts with the reserved prefix.
    @inline(__always)
    package static func areReserved(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "_")
    }

    /// A name as it may stand in a message or a log: cut, with everything invisible replaced by U+FFFD.
    package static func reported(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars.prefix(Rules.longestReportedName) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                result.append("\u{FFFD}")
            default:
                result.append(scalar)
            }
        }
        return String(result)
    }
}
