#if Collector
import ClickstreamCore

/// Selected event of a report that reads texts.
struct ReportRow: Sendable {
    /// Number of the user or of the session.
    var owner: UInt32
    var time: Int64 = 0
    /// Number of the value of a column.
    var value: UInt32 = 0
    /// Index of the matcher of the event's name; `nil` for none.
    var matcher: Int?
    /// True if the text of the event is read.
    var readsText: Bool
    /// Range of that text in the text of the body.
    var range = 0..<0
}

/// Selected events of one request.
struct ReportRequest: Sendable {
    var location: EventLocation
    /// The body as received; `nil` if none of its texts is read.
    var body: [UInt8]?
    var rows: [ReportRow] = []
}

/// Selected events of one request, with what was read from their texts.
struct ReadRows: Sendable {
    var rows: [ReportRow]
    /// Steps that each event matches, as bits.
    var matches: [UInt32] = []
    /// Exact spellings of the values, one after the other.
    private var values: [UInt8] = []
    private var ends: [Int] = []
    /// Damage by which the texts of the further events cannot be read.
    var damage: StoreDamage?

    init(rows: [ReportRow]) {
        self.rows = rows
        matches.reserveCapacity(rows.count)
        ends.reserveCapacity(rows.count)
    }

    /// Memory of the rows, about.
    var bytes: Int { values.count + rows.count * (MemoryLayout<ReportRow>.stride + 12) }

    /// Appends what was read of the next event.
    /// - Parameter value: JSON text of its value; `nil` for none.
    mutating func append(matches: UInt32, value: UnsafeRawBufferPointer?) {
        self.matches.append(matches)
        if let value { ExactJSON.append(value, to: &values) }
        ends.append(values.count)
    }

    /// Calls `body` for each event with its steps and the exact spelling of its value, which is empty for null and for none.
    /// - Throws: the damage, after the events before; the error of `body`.
    func visit(_ body: (_ row: ReportRow, _ matches: UInt32, _ value: ArraySlice<UInt8>) throws -> Void) throws {
        var start = 0
        for (index, end) in ends.enumerated() {
            try body(rows[index], matches[index], values[start..<end])
            start = end
        }
        if let damage { throw damage }
    }
}

/// Parts of an event's text that a report reads.
struct TextProbe: Sendable {
    /// Path of the value of a field; `nil` for none.
    var path: MemberPath?
    /// Matchers of the steps of a funnel. An event without one matches the first step.
    var matchers: [FunnelMatcher] = []

    /// Decodes a body and reads the events that are selected in it.
    func read(_ request: ReportRequest) -> ReadRows {
        var read = ReadRows(rows: request.rows)
        var text = BodyText()
        if let body = request.body {
            text = UploadDecoder().text(of: body, isContentEncoded: request.location.isContentEncoded)
        }
        text.bytes.withUnsafeBytes { bytes in
            for row in request.rows {
                if row.readsText, !text.holds(row.range) {
                    read.damage = .noEvent(at: row.range.lowerBound, request: request.location.request)
                    return
                }
                let event = UnsafeRawBufferPointer(rebasing: bytes[row.range])
                let matches = row.matcher.map { matchers[$0].matches(in: event) } ?? 1
                let value = row.readsText && matches & 1 != 0 ? path?.value(in: event) : nil
                read.append(matches: matches, value: value.map { UnsafeRawBufferPointer(rebasing: event[$0]) })
            }
        }
        return read
    }
}
#endif
