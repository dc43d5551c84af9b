/// Numbered event file with its delivery progress. Sequence numbers within it are contiguous.
package struct Segment: Sendable, Equatable {
    package var number: Int
    /// The size of the complete lines in the file.
    package var bytes = 0
    /// The size of the settled part at its start: delivered, rejected, dead-lettered or damaged.
    package var consumed = 0
    /// The sequence number of the record at ``consumed``.
    package var nextSequence: Int
    /// The sequence number after that of the last record.
    package var endSequence: Int
    package var oldest: Timestamp?
    package var newest: Timestamp?
    package var flight: Flight?

    /// Part, starting at ``consumed``, that may have been sent: it is sent again unchanged, with the same bundle id.
    package struct Flight: Sendable, Equatable {
        package var to: Int
        package var endSequence: Int
        package var bundleID: Int
    }

    package init(number: Int, sequence: Int) {
        self.number = number
        nextSequence = sequence
        endSequence = sequence
    }

    package var pendingEvents: Int { endSequence - nextSequence }
    package var pendingBytes: Int { bytes - consumed }

    /// The file's name: `00000001.events`.
    package var name: String { String(zeroPadded: number, width: 8) + ".events" }

    /// Returns the number in a segment's file name; `nil` for any other name, and for a number that a manifest cannot contain.
    package static func number(in name: String) -> Int? {
        guard name.hasSuffix(".events"), let number = Int(name.dropLast(7)), 0 < number, number < lastSequence,
            Segment(number: number, sequence: 1).name == name
        else { return nil }
        return number
    }

    /// The highest valid sequence number.
    package static let lastSequence = 1 << 53

    mutating func extend(by timestamp: Timestamp) {
        oldest = oldest.map { min($0, timestamp) } ?? timestamp
        newest = newest.map { max($0, timestamp) } ?? timestamp
    }
}
