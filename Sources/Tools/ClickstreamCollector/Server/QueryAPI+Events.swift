#if Collector
import ClickstreamCore

extension QueryAPI {
    /// `/api/events`, in the order of arrival or sorted by a value. A sorted list reads the values of all matching events, and
    /// thus has the limits of reports.
    func events(_ query: Query) async throws -> Reply {
        let order = try query.order()
        let maxBytes = try query.bytes("event_bytes")
        var filter = try query.eventFilter()
        if order.field == .received {
            filter.cursor = try query.cursor()
            let list = EventList(
                filter,
                newestFirst: order.isDescending,
                cutAt: maxBytes,
                pageBytes: store.pageBytes
            )
            return try await ListPage(list, store).reply()
        }
        let position = try query.position(in: order)
        let limit = try query.limit()
        let events = SortedEvents(filter: filter, order: order)
        do {
            let page = try await scanning { [store] in
                try await store.readInTurn { try events.page(after: position, limit: limit, in: $0) }
            }
            let list = SortedEventList(
                page,
                of: events,
                after: position,
                cutAt: maxBytes,
                pageBytes: store.pageBytes
            )
            return try await ListPage(list, store).reply()
        } catch let refusal as QueryLimit.Refusal {
            return refusal.reply(
                busy: "too many reports and sorted lists are being computed; retry later, or omit sort",
                timeout: "the list takes longer to sort than the time of a query; select fewer events, with name or "
                    + "since, or omit sort"
            )
        }
    }
}

extension QueryAPI.Query {
    fileprivate func order() throws(QueryAPI.RequestError) -> EventOrder {
        var order = EventOrder()
        if let text = self["sort"] {
            guard let field = EventOrder.Field.allCases.first(where: { $0.name == text }) else {
                let names = EventOrder.Field.allCases.map(\.name).joined(separator: ", ")
                throw .expected("sort", "one of \(names)", not: text)
            }
            order.field = field
        }
        order.direction = try choice("order", among: EventOrder.Direction.allCases) ?? order.direction
        return order
    }

    /// Position of the cursor in an order by a value.
    fileprivate func position(in order: EventOrder) throws(QueryAPI.RequestError) -> EventOrder.Position? {
        guard let text = self["cursor"] else { return nil }
        guard let position = order.position(cursor: text) else {
            throw .expected(
                "cursor",
                "the next of an earlier response with sort=\(order.field.name) and order=\(order.direction.rawValue), "
                    + "or absent for the first page",
                not: text
            )
        }
        return position
    }
}
#endif
