/// Queue of uploads waiting to be stored, divided into transactions in the order of arrival.
///
/// A transaction contains at most one upload of many events, so that smaller uploads wait for one of these at most.
struct Backlog<Element> {
    /// Maximum number of uploads of few events in one transaction, which bounds the latency of the first.
    static var maxCount: Int { 128 }
    /// Number of events from which an upload counts as one of many events.
    static var manyEvents: Int { 5_000 }

    private var few: [Element] = []
    private var many: [Element] = []

    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    mutating func append(_ element: Element, events: Int) {
        if events < Self.manyEvents { few.append(element) } else { many.append(element) }
    }

    /// Removes and returns the uploads of the next transaction; empty if there are none.
    mutating func next() -> [Element] {
        var batch = Array(few.prefix(Self.maxCount))
        few.removeFirst(batch.count)
        if !many.isEmpty { batch.append(many.removeFirst()) }
        return batch
    }
}
