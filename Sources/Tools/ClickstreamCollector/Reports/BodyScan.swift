#if Collector
import ClickstreamCore
import ClickstreamJudges
import GRDB

/// Reader of the texts of scanned events. Each body is inflated once; one is in memory.
struct BodyScan {
    /// Columns of a scan that locate a text.
    static let columns = ["r.seq", "r.is_encoded", "e.start", "e.length"]

    private var reader: BodyTexts.Reader
    private let first: Int32

    /// - Parameter first: index of the first of ``columns``.
    init(_ database: Database, columnsFrom first: Int) {
        // A cache of its own: a scan passes all bodies, and must not remove those in which pages ended.
        reader = BodyTexts.Reader(BodyTexts(maxBytes: 0), database)
        self.first = Int32(first)
    }

    /// JSON text of the event of a row. Shares the storage of the body's text.
    mutating func text(_ row: RowReader) throws -> ArraySlice<UInt8> {
        let start = Int(try row.integer(first + 2, "events.start", in: StoredRange.count))
        let length = Int(try row.integer(first + 3, "events.length", in: StoredRange.count))
        return try reader.text(
            at: EventLocation(
                request: try row.integer(first, "requests.seq", in: StoredRange.sequence),
                range: start..<start + length,
                isContentEncoded: try row.boolean(first + 1, "requests.is_encoded")
            )
        )
    }

    /// The event of a row within ``JSONReader/Bounds/conditions``.
    mutating func event(_ row: RowReader) throws -> JSONValue {
        let text = try text(row)
        return text.withUnsafeBytes { bytes in
            // A stored event is well-formed.
            (try? JSONReader.parse(bytes, within: .conditions))?.value ?? JSONValue(.null)
        }
    }

    /// The value to which the names of members lead, without building the rest of the event; null if there is none. Of duplicate
    /// names, the last counts.
    mutating func value(at path: [String], _ row: RowReader) throws -> JSONValue {
        let text = try text(row)
        return text.withUnsafeBytes { bytes in
            var value = bytes[...]
            for name in path {
                // A value other than an object has no members.
                let members = try? JSONReader.members(
                    named: name,
                    of: UnsafeRawBufferPointer(rebasing: value),
                    maxCount: Self.maxDuplicates
                )
                guard let last = members?.last?.value else { return JSONValue(.null) }
                value = value[value.startIndex + last.lowerBound..<value.startIndex + last.upperBound]
            }
            let parsed = try? JSONReader.parse(UnsafeRawBufferPointer(rebasing: value), within: .conditions)
            return parsed?.value ?? JSONValue(.null)
        }
    }

    /// Maximum number of members with the same name; the value of an object with more counts as absent.
    private static let maxDuplicates = 65_536
}
#endif
