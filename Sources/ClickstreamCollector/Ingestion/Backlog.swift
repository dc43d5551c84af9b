#if Tools
/// Uploads that wait to be stored, divided into transactions in the order of their arrival.
///
/// A transaction has one upload of many events at most, so that the others wait for one of those and not for all that came
/// before.
struct Backlog<Element> {
    /// Uploads of few events in one transaction, so that the first of them does not wait without limit.
    static var most: Int { 128 }
    /// Events from which an upload has many.
    static var manyEvents: Int { 5_000 }

    private var few: [Element] = []
    private var many: [Element] = []

    var isEmpty: Bool { few.isEmpty && many.isEmpty }

    mutating func append(_ element: Element, events: Int) {
        if events < Self.manyEvents { few.append(element) } else { many.append(element) }
    }

    /// Removes and returns the uploads of the next transaction; none if nothing waits.
    mutating func next() -> [Element] {
        var batch = Array(few.prefix(Self.most))
        few.removeFirst(batch.count)
        if !many.isEmpty { batch.append(many.removeFirst()) }
        return batch
    }
}
#endif
