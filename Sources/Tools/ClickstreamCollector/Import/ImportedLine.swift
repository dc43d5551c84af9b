import ClickstreamCore
import ClickstreamJudges

/// Content of a line to import, recognized by its members.
enum ImportedLine: Sendable {
    /// Request as a server received it.
    case request(Envelope)
    /// Body of a request, which is the whole line, with its first event; of a batch, the batch.
    case body(ImportedEvent)
    /// Events by their ranges in the line, in their order.
    case events(Events)

    /// Events of a line.
    struct Events: Sendable {
        var events: [ImportedEvent] = []
        /// Reason of the first event that cannot be imported; `nil` if there is none.
        var error: ImportError?
    }

    /// Maximum number of elements in a line: those of a page of a list. Each may become a request, which takes many times the
    /// memory of a short element.
    private static let maxElements = EventFilter.limits.upperBound
    /// Maximum bytes of a text field of a request: those of a header line of HTTP.
    static let longestText = Limits().headerBytes

    /// - Parameter now: the time of reception of a request that has none.
    init(_ line: [UInt8], now: Timestamp) throws(ImportError) {
        let start = line.firstIndex { !" \t\r".utf8.contains($0) } ?? line.endIndex
        let range = start..<line.endIndex
        switch start < line.endIndex ? line[start] : 0 {
        case UInt8(ascii: "{"): self = try Self.object(line, range, now: now)
        case UInt8(ascii: "["): self = try Self.array(line, range)
        default:
            do throws(JSONError) { _ = try JSONReader.parse(line) } catch { throw ImportError(error) }
            throw ImportError(.unknownContent, offset: start)
        }
    }

    private static func object(_ line: [UInt8], _ range: Range<Int>, now: Timestamp) throws(ImportError) -> ImportedLine
    {
        let object = try LineObject(line, range)
        if object.isRequest { return .request(try Envelope(row: object, now: now)) }
        if object.isElement { return .events(Events(events: [try ImportedEvent(element: object)])) }
        for format in CapturedFormat.captured {
            if let batch = format.batch, object.first(of: batch.events) == UInt8(ascii: "["), !object.isClickstream {
                return .body(ImportedEvent(range: range, key: ImportGroup.Key(form: format)))
            }
        }
        if !object.isClickstream, object.first(of: "events") == UInt8(ascii: "["), let events = object["events"] {
            return try elements(line, events)
        }
        return .events(Events(events: [try ImportedEvent(object)]))
    }

    /// Body of a request, or a list of elements.
    private static func array(_ line: [UInt8], _ range: Range<Int>) throws(ImportError) -> ImportedLine {
        let ranges = try self.ranges(line, range, maxCount: ReceivedUpload.maxElements)
        guard let first = ranges.first else { throw ImportError(.unknownContent, offset: range.lowerBound) }
        guard line[first.lowerBound] == UInt8(ascii: "{") else {
            throw ImportError(.unknownContent, offset: first.lowerBound)
        }
        let object = try LineObject(line, first)
        if object.isElement { return try elements(line, range) }
        return .body(try ImportedEvent(object))
    }

    private static func elements(_ line: [UInt8], _ range: Range<Int>) throws(ImportError) -> ImportedLine {
        var found = Events()
        for range in try ranges(line, range, maxCount: maxElements) {
            do throws(ImportError) {
                guard line[range.lowerBound] == UInt8(ascii: "{") else {
                    throw ImportError(.unknownContent, offset: range.lowerBound)
                }
                let object = try LineObject(line, range)
                guard object.isElement else { throw object.unknown }
                found.events.append(try ImportedEvent(element: object))
            } catch {
                found.error = found.error ?? error
            }
        }
        return .events(found)
    }

    private static func ranges(
        _ line: [UInt8],
        _ range: Range<Int>,
        maxCount: Int
    ) throws(ImportError) -> [Range<Int>] {
        do throws(JSONError) {
            return try JSONReader.elements(of: line[range], maxDepth: LineObject.maxPageDepth, maxCount: maxCount)
        } catch {
            throw ImportError(error, at: range.lowerBound)
        }
    }
}

/// Event in a line.
struct ImportedEvent: Sendable {
    /// Range of its JSON text in the line.
    var range: Range<Int>
    /// Properties that the events of a request share.
    var key: ImportGroup.Key

    /// The members of an event of the clickstream format; `nil` if it is no object, or has too many.
    func members(in line: [UInt8]) -> LineObject? {
        guard key.form == .clickstream, line[range.lowerBound] == UInt8(ascii: "{") else { return nil }
        // An event without them has no app id and no platform for the query of its request.
        return try? LineObject(line, range)
    }
}

extension ImportedEvent {
    /// Event as an app sends it.
    init(_ object: LineObject) throws(ImportError) {
        guard let form = object.form else { throw object.unknown }
        if form.batch != nil { throw ImportError(.noHeader, offset: object.range.lowerBound) }
        try object.checkDepth(of: object.range)
        range = object.range
        key = ImportGroup.Key(form: form)
    }

    /// Element of a list of the query API.
    init(element object: LineObject) throws(ImportError) {
        let request = object.text("request_id")
        let start = object.range.lowerBound
        guard let event = object["event"] else { throw object.unknown }
        if object.isTrue("cut") { throw ImportError(.cutEvent, offset: start) }
        let name = object.text("form") ?? FormatName.clickstream.rawValue
        guard let form = CapturedFormat(rawValue: name) else {
            throw ImportError(.unknownForm, offset: object["form"]?.lowerBound, detail: name)
        }
        try object.checkDepth(of: event)
        range = event
        key = ImportGroup.Key(
            form: form,
            receivedAt: object.integer("received_at").map { Timestamp(milliseconds: $0) },
            requestID: request,
            partition: object.text("partition").map { AuditContent.cut($0) }
        )
        guard form.batch != nil else { return }
        guard let header = object["header"], object.first(of: "header") == UInt8(ascii: "{") else {
            throw ImportError(.noHeader, offset: start)
        }
        if object.isTrue("header_cut") { throw ImportError(.cutHeader, offset: header.lowerBound, detail: request) }
        key.header = Array(object.line[header])
    }
}

extension LineObject {
    /// True for a request of an archive, or of `/api/requests/ID`.
    fileprivate var isRequest: Bool { isText("data") && (isText("uri") || isText("rid")) }

    /// True for an element of `/api/events`, `/api/captured` or `/api/audit`, or a line of `tail`.
    fileprivate var isElement: Bool {
        has("event") && !isClickstream && !CapturedFormat.captured.contains(where: isMarked)
            && ["status", "request_id", "received_at", "form"].contains(where: has)
    }

    /// True for an object with a field that only an event of the clickstream format has.
    fileprivate var isClickstream: Bool {
        [FieldName.appID, FieldName.uniqueID, FieldName.userPseudoID].contains(where: has)
    }

    private func isMarked(_ format: CapturedFormat) -> Bool {
        !format.marks.isEmpty && format.marks.allSatisfy(has)
    }

    /// Format of an event; `nil` if the object is none, or has not all that a server needs.
    fileprivate var form: CapturedFormat? {
        if isClickstream { return .clickstream }
        if isRow { return nil }
        if let format = CapturedFormat.captured.first(where: isMarked) { return format }
        // A line of a log has a time, too.
        let isTimed = has(FieldName.timestamp) && [FieldName.eventType, FieldName.eventName].contains(where: has)
        return isTimed || has(FieldName.eventID) ? .clickstream : nil
    }

    /// True for a request of a list, which has a time, too, but no body.
    private var isRow: Bool { isText("rid") && isText("uri") }

    /// Error of an object that is not an event.
    fileprivate var unknown: ImportError {
        let start = range.lowerBound
        if isRow, !isRequest { return ImportError(.noBody, offset: start, detail: text("rid")) }
        let names = [FieldName.eventType, FieldName.eventName, "name"]
        return ImportError(names.contains(where: has) ? .shortForm : .unknownContent, offset: start)
    }
}
