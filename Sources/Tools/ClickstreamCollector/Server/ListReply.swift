#if Collector
import ClickstreamCore
import ClickstreamJudges
import Foundation
import HTTPTypes

/// Generator for the parts of a body; `nil` at its end.
typealias Parts = @Sendable () async throws -> [UInt8]?

/// Page of a list, read from the store and encoded as JSON in parts, each after the connection has accepted the
/// previous.
///
/// A reader that reads nothing uses the memory of one part. If a row cannot be read, the page ends before it; the next
/// page begins with that row and reports the error.
actor ListPage<Source: ListSource> {
    private let store: Store
    private var source: Source
    private var segments = Segments()
    private var isBegun = false
    private var isDone = false

    init(_ source: Source, _ store: Store) {
        self.source = source
        self.store = store
    }

    /// Reply with the page; a short page is not divided.
    func reply() async throws -> Reply {
        var first: [UInt8] = []
        while first.count < Reply.partBytes {
            guard let part = try await next() else { return .json(.ok, first) }
            first.append(contentsOf: part)
        }
        var reply = Reply.json(.ok, first)
        reply.rest = { try await self.next() }
        return reply
    }

    private func next() async throws -> [UInt8]? {
        while segments.isEmpty {
            if isDone { return nil }
            try await read()
        }
        var segments = segments
        let part = try await segments.next(from: store)
        self.segments = segments
        return part
    }

    private func read() async throws {
        var source = source
        var segments = Segments()
        if !isBegun { segments.append(source.head) }
        do {
            isDone = try await !source.read(into: &segments, store)
        } catch {
            if !isBegun || !source.endsAtErrors || error is CancellationError { throw error }
            isDone = true
        }
        isBegun = true
        if isDone { segments.append(source.tail) }
        self.source = source
        self.segments = segments
    }
}

/// Source of the elements of a page.
protocol ListSource: Sendable {
    /// JSON before the elements, and after the last element read.
    var head: [UInt8] { get }
    var tail: [UInt8] { get }

    /// True if a page may end before an element that cannot be read, which the next page reports.
    var endsAtErrors: Bool { get }

    /// Appends some elements.
    /// - Returns: false at the end of the page.
    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool
}

extension ListSource {
    var endsAtErrors: Bool { true }
}

/// Remaining budget of a page.
struct PageBudget: Sendable {
    /// Remaining number of elements, and of their bytes.
    var elements: Int
    var bytes: Int
    private(set) var hasElements = false

    /// Counts an element and appends the comma before it.
    mutating func add(_ count: Int, to segments: inout Segments) {
        if hasElements { segments.append(CollectionOfOne(UInt8(ascii: ","))) }
        hasElements = true
        elements -= 1
        bytes -= count
    }

    /// True if the page is full.
    var isFull: Bool { elements <= 0 || (bytes <= 0 && hasElements) }

    /// Maximum bytes of the next part.
    var part: Int { max(1, min(Reply.partBytes, bytes)) }
}

/// `/api/events` in the order of arrival, or in the reverse one.
struct EventList: ListSource {
    private var filter: EventFilter
    private let newestFirst: Bool
    private let form: EventTexts
    private var budget: PageBudget
    private var next: Int64?

    /// Bytes above which a text is read in slices.
    static let apartBytes = 65_536

    init(_ filter: EventFilter, newestFirst: Bool, cutAt maxBytes: Int?, pageBytes: Int) {
        self.filter = filter
        self.newestFirst = newestFirst
        form = EventTexts(maxBytes: maxBytes, apart: Self.apartBytes)
        budget = PageBudget(elements: filter.limit.clamped(to: EventFilter.limits), bytes: pageBytes)
    }

    var head: [UInt8] { Array("{\"events\":[".utf8) }

    var tail: [UInt8] { Reply.pageEnd(next) }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let page = try await store.readInTurn { [filter, newestFirst, form, budget] database in
            try Store.events(
                filter,
                limit: min(budget.elements, Feed.maxCount),
                bytes: budget.part,
                newestFirst: newestFirst,
                form: form,
                store.texts,
                in: database
            )
        }
        for event in page.events {
            budget.add(event.bytes, to: &segments)
            segments.append(event)
        }
        next = page.isWhole ? nil : page.events.last?.sequence
        filter.cursor = page.events.last?.sequence ?? filter.cursor
        return next != nil && !budget.isFull
    }
}

/// `/api/captured` and `/api/audit`.
struct CapturedList: ListSource {
    private var filter: CapturedFilter
    private let form: EventTexts
    private var budget: PageBudget
    private var next: Int64?

    init(_ filter: CapturedFilter, cutAt maxBytes: Int?, pageBytes: Int) {
        self.filter = filter
        form = EventTexts(maxBytes: maxBytes, apart: EventList.apartBytes)
        budget = PageBudget(elements: filter.limit.clamped(to: EventFilter.limits), bytes: pageBytes)
    }

    var head: [UInt8] { Array("{\"events\":[".utf8) }

    var tail: [UInt8] { Reply.pageEnd(next) }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let page = try await store.captured(
            filter,
            limit: min(budget.elements, Feed.maxCount),
            bytes: budget.part,
            form
        )
        var isWhole = page.isWhole
        for event in page.events {
            // The page repeats a header with each event; what is read from the store contains it once.
            if budget.isFull {
                isWhole = false
                break
            }
            budget.add(event.bytes + (event.captured?.header?.json.count ?? 0), to: &segments)
            segments.append(event)
            filter.cursor = event.sequence
        }
        next = isWhole ? nil : filter.cursor
        return next != nil && !budget.isFull
    }
}

/// `/api/requests`, `/api/captured/requests` and `/api/audit/requests`.
struct RequestList: ListSource {
    private var cursor: Int64?
    private var budget: PageBudget
    private var next: Int64?
    /// The captured forms of the requests; `nil` for the clickstream format.
    private let forms: [CapturedFormat]?

    init(after cursor: Int64?, limit: Int, pageBytes: Int, forms: [CapturedFormat]? = nil) {
        self.cursor = cursor
        self.forms = forms
        budget = PageBudget(elements: limit.clamped(to: EventFilter.limits), bytes: pageBytes)
    }

    var head: [UInt8] { Array("{\"requests\":[".utf8) }

    var tail: [UInt8] { Reply.pageEnd(next) }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let limit = min(budget.elements, Feed.maxCount)
        let page =
            if let forms {
                try await store.capturedRequests(of: forms, after: cursor, limit: limit, bytes: budget.part)
            } else {
                try await store.requests(after: cursor, limit: limit, bytes: budget.part)
            }
        let encoder = Reply.encoder()
        for request in page.requests {
            budget.add(request.uri.utf8.count + (request.userAgent?.utf8.count ?? 0), to: &segments)
            segments.append(try encoder.encode(request))
        }
        next = page.next
        cursor = page.next
        return next != nil && !budget.isFull
    }
}

/// Single event, in the form of a list element.
struct SingleEvent: ListSource {
    let event: StoredEvent

    var head: [UInt8] { [] }
    var tail: [UInt8] { [] }

    mutating func read(into segments: inout Segments, _ store: Store) -> Bool {
        segments.append(event)
        return false
    }
}

/// Single request with its body or the beginning of its body.
struct SingleRequest: ListSource {
    private let request: CollectedRequest
    private let body: BodyReader
    /// Bytes of the whole body, and of the parts so far.
    private let total: Int
    private var count = 0
    /// Maximum bytes of the beginning; `nil` for the whole body.
    private let limit: Int?
    private var isBegun = false

    /// Maximum bytes of the beginning of a body.
    private static let maxBytes = 2_097_152

    init(_ request: CollectedRequest, _ body: BodyReader, total: Int, limit: Int?) {
        self.request = request
        self.body = body
        self.total = total
        self.limit = limit.map { min($0, Self.maxBytes) }
    }

    var head: [UInt8] { [] }

    var tail: [UInt8] {
        Array((count < total ? "\",\"data_cut\":true,\"data_bytes\":\(total)}" : "\"}").utf8)
    }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        if !isBegun {
            isBegun = true
            segments.append(try Reply.encoder().encode(request).dropLast())
            segments.append(",\"data\":\"".utf8)
        }
        let left = limit.map { $0 - count } ?? .max
        guard let part = try await store.next(min(left, Reply.partBytes), of: body, request.id) else {
            // An incomplete text could not be distinguished from a complete one.
            throw CancellationError()
        }
        count += part.count
        var text: [UInt8] = []
        JSONWriter.append(String(decoding: part, as: UTF8.self), to: &text)
        segments.append(text.dropFirst().dropLast())
        return count < total && left > Reply.partBytes && !part.isEmpty
    }
}
#endif
