#if Tools
import ClickstreamCore
import Foundation
import HTTPTypes

/// Parts of a body that is made while it is written; `nil` at its end.
typealias Parts = @Sendable () async throws -> [UInt8]?

/// One page of a list, read from the store and made into JSON in parts, each when the connection has taken the last.
///
/// A reader that takes nothing costs one part. If a row cannot be read, the page ends before it: the next page begins with
/// that row and reports it.
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

    /// The page as an answer: whole if it is short.
    func reply() async throws -> Reply {
        var first: [UInt8] = []
        while first.count < Reply.wholeBytes {
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
            if !isBegun || error is CancellationError { throw error }
            isDone = true
        }
        isBegun = true
        if isDone { segments.append(source.tail) }
        self.source = source
        self.segments = segments
    }
}

/// Elements of one page of a list.
protocol ListSource: Sendable {
    /// What stands before the elements, and behind the last one that was read.
    var head: [UInt8] { get }
    var tail: [UInt8] { get }

    /// Appends some elements.
    /// - Returns: false when the page has ended.
    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool
}

/// Numbers of a page while it is read.
struct PageRoom: Sendable {
    /// Bytes that are read from the store at a time.
    static let partBytes = 131_072

    /// Elements that may still come, and their bytes.
    var elements: Int
    var bytes: Int
    private(set) var hasElements = false

    /// Counts an element, and appends the comma before it.
    mutating func add(_ count: Int, to segments: inout Segments) {
        if hasElements { segments.append(CollectionOfOne(UInt8(ascii: ","))) }
        hasElements = true
        elements -= 1
        bytes -= count
    }

    /// True if the page takes no more.
    var isFull: Bool { elements <= 0 || (bytes <= 0 && hasElements) }

    /// The most bytes of the next part.
    var part: Int { max(1, min(Self.partBytes, bytes)) }
}

/// `/api/events`.
struct EventList: ListSource {
    private var filter: EventFilter
    private let form: EventTexts
    private var room: PageRoom
    private var next: Int64?

    /// Bytes of a text that is read in slices.
    static let apartBytes = 262_144

    init(_ filter: EventFilter, cutAt most: Int?, pageBytes: Int) {
        self.filter = filter
        form = EventTexts(most: most, apart: Self.apartBytes)
        room = PageRoom(elements: filter.limit.clamped(to: EventFilter.limits), bytes: pageBytes)
    }

    var head: [UInt8] { Array("{\"events\":[".utf8) }

    var tail: [UInt8] { Reply.pageEnd(next) }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let page = try await store.events(filter, limit: min(room.elements, Feed.most), bytes: room.part, form)
        for event in page.events {
            room.add(event.bytes, to: &segments)
            segments.append(event)
        }
        next = page.isWhole ? nil : page.events.last?.sequence
        filter.cursor = page.events.last?.sequence ?? filter.cursor
        return next != nil && !room.isFull
    }
}

/// `/api/requests`.
struct RequestList: ListSource {
    private var cursor: Int64?
    private var room: PageRoom
    private var next: Int64?

    init(after cursor: Int64?, limit: Int, pageBytes: Int) {
        self.cursor = cursor
        room = PageRoom(elements: limit.clamped(to: EventFilter.limits), bytes: pageBytes)
    }

    var head: [UInt8] { Array("{\"requests\":[".utf8) }

    var tail: [UInt8] { Reply.pageEnd(next) }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let page = try await store.requests(after: cursor, limit: min(room.elements, Feed.most), bytes: room.part)
        let encoder = Reply.encoder()
        for request in page.requests {
            room.add(request.uri.utf8.count + (request.userAgent?.utf8.count ?? 0), to: &segments)
            segments.append(try encoder.encode(request))
        }
        next = page.next
        cursor = page.next
        return next != nil && !room.isFull
    }
}

/// A single event, as in a list.
struct SingleEvent: ListSource {
    let event: StoredEvent

    var head: [UInt8] { [] }
    var tail: [UInt8] { [] }

    mutating func read(into segments: inout Segments, _ store: Store) -> Bool {
        segments.append(event)
        return false
    }
}

/// A single request with its body, or with the beginning of it.
struct SingleRequest: ListSource {
    private let request: CollectedRequest
    private var body: BodySlice
    private let isCut: Bool
    private var isBegun = false

    /// Bytes of a body that are read at a time: one under a `Content-Encoding` is inflated for each.
    static let sliceBytes = 2_097_152

    init(_ request: CollectedRequest, _ body: BodySlice, isCut: Bool) {
        self.request = request
        self.body = body
        self.isCut = isCut && body.end < body.total
    }

    var head: [UInt8] { [] }

    var tail: [UInt8] {
        Array((isCut ? "\",\"data_cut\":true,\"data_bytes\":\(body.total)}" : "\"}").utf8)
    }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        if !isBegun {
            isBegun = true
            segments.append(try Reply.encoder().encode(request).dropLast())
            segments.append(",\"data\":\"".utf8)
        } else {
            body = try await store.body(of: request.id, from: body.end, most: Self.sliceBytes)
            // Half a text would pass for a whole one.
            if body.bytes.isEmpty { throw CancellationError() }
        }
        var text: [UInt8] = []
        JSONWriter.append(String(decoding: body.bytes, as: UTF8.self), to: &text)
        segments.append(text.dropFirst().dropLast())
        body.bytes = []
        return body.end < body.total && !isCut
    }
}
#endif
