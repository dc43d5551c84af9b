/// One numbered file of events, and how far it has been delivered. Within it sequence numbers have no gap.
package struct Segment: Sendable, Equatable {
    package var number: Int
    /// The bytes of whole lines in the file.
    package var bytes = 0
    /// The bytes at its beginning that are settled: delivered, rejected, set aside or damaged.
    package var consumed = 0
    /// The sequence number of the record at ``consumed``.
    package var nextSequence: Int
    /// The sequence number after that of the last record.
    package var endSequence: Int
    package var oldest: Timestamp?
    package var newest: Timestamp?
    package var flight: Flight?

    /// A part, from ``consumed`` on, that may have been sent: it is sent again just so, under the same bundle id.
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
    package var name: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".events"
    }

    /// The number in a segment's file name; `nil` for every name that is not exactly one of ours.
    package static func number(in name: String) -> Int? {
        guard name.hasSuffix(".events"), let number = Int(name.dropLast(7)), number > 0,
            Segment(number: number, sequence: 1).name == name
        else { return nil }
        return number
    }

    /// The greatest number that a record can have got.
    package static let lastSequence = 1 << 53

    mutating func extend(by timestamp: Timestamp) {
        oldest = oldest.map { min($0, timestamp) } ?? timestamp
        newest = newest.map { max($0, timestamp) } ?? timestamp
    }
}
