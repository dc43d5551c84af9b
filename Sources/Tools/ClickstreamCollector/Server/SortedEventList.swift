#if Collector
import ClickstreamCore

/// `/api/events` sorted by a value.
struct SortedEventList: ListSource {
    private let events: SortedEvents
    private let form: EventTexts
    private var budget: PageBudget
    /// Sequence numbers of the events not read yet.
    private var sequences: ArraySlice<Int64>
    /// Position at which the page ends if all of its events are read; `nil` if none follows.
    private let end: EventOrder.Position?
    /// Position after which the next page begins.
    private var next: EventOrder.Position?

    /// - Parameter position: position after which the page begins.
    init(
        _ page: SortedEvents.Page,
        of events: SortedEvents,
        after position: EventOrder.Position?,
        cutAt maxBytes: Int?,
        pageBytes: Int
    ) {
        self.events = events
        form = EventTexts(maxBytes: maxBytes, apart: EventList.apartBytes)
        budget = PageBudget(elements: page.sequences.count, bytes: pageBytes)
        sequences = page.sequences[...]
        end = page.end
        next = position
    }

    var head: [UInt8] { Array("{\"events\":[".utf8) }

    var tail: [UInt8] { Reply.pageEnd(next.map { events.order.cursor(after: $0) }) }

    mutating func read(into segments: inout Segments, _ store: Store) async throws -> Bool {
        let part = try await store.readInTurn { [events, sequences, form, budget] database in
            try events.part(of: sequences, bytes: budget.part, form: form, store.texts, in: database)
        }
        for event in part.events {
            budget.add(event.bytes, to: &segments)
            segments.append(event)
        }
        sequences = sequences.dropFirst(part.count)
        if sequences.isEmpty {
            next = end
            return false
        }
        next = part.end ?? next
        return !budget.isFull
    }
}
#endif
