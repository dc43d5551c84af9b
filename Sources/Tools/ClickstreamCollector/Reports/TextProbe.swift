#if Collector
import ClickstreamCore
import ClickstreamJudges

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
    /// The body; `nil` if none of its texts is read.
    var body: StoredBody?
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
        let text: ReceivedUpload.Events.Text?
        do throws(StoredBody.TooLong) {
            text = try request.body?.unparsedText()
        } catch {
            read.damage = .inflation(of: request.location.request)
            return read
        }
        let range = text?.range ?? 0..<0
        (text?.bytes ?? []).withUnsafeBytes { bytes in
            var elements = JSONElements(
                UnsafeRawBufferPointer(rebasing: bytes[..<range.upperBound]),
                from: range.lowerBound
            )
            for row in request.rows {
                guard row.readsText else {
                    read.append(matches: row.matcher.map { matchers[$0].possible } ?? 1, value: nil)
                    continue
                }
                let searched = row.matcher == nil ? path : nil
                guard let element = elements.element(at: row.range.lowerBound, searched), element.range == row.range
                else {
                    read.damage = .noEvent(at: row.range.lowerBound, request: request.location.request)
                    return
                }
                var (matches, value) = (1 as UInt32, element.value)
                if let matcher = row.matcher {
                    let event = UnsafeRawBufferPointer(rebasing: bytes[row.range])
                    matches = matchers[matcher].matches(in: event)
                    value = matches & 1 == 0 ? nil : path?.value(in: event)?.shifted(by: row.range.lowerBound)
                }
                let found = value.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
                // The body was well-formed when it was stored. Of one that another program changed, only what is read is validated.
                if let found, (try? JSONReader.check(found)) == nil {
                    read.damage = .noEvent(at: row.range.lowerBound, request: request.location.request)
                    return
                }
                read.append(matches: matches, value: found)
            }
        }
        return read
    }
}
#endif
