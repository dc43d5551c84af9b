/// Sorting by a key of each element, with one compiled sort for each type of key.
///
/// `sorted(by:)` of the standard library is compiled again for each element type and comparison, about 3 kB of an app each
/// time. These functions sort indices instead, and allocate three arrays. Not for the fast path.
extension Collection {
    /// The elements in ascending order of their numbers; elements with the same number keep their order.
    func orderedByNumber(_ number: (Element) -> Int64) -> [Element] {
        let elements = Array(self)
        return AscendingOrder.indices(of: elements.map(number)).map { elements[$0] }
    }

    /// The elements in ascending order of their texts; elements with the same text keep their order.
    func orderedByText(_ text: (Element) -> String) -> [Element] {
        let elements = Array(self)
        return AscendingOrder.indices(of: elements.map(text)).map { elements[$0] }
    }
}

extension [String] {
    /// The texts in the order of their UTF-8, for names of files.
    @inline(never)
    func orderedByBytes() -> [String] {
        sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// Indices of keys in ascending order of the keys. Not inlined and without a closure as argument, of which the compiler would
/// make a copy for each caller.
private enum AscendingOrder {
    @inline(never)
    static func indices(of keys: [Int64]) -> [Int] {
        keys.indices.sorted { keys[$0] < keys[$1] }
    }

    @inline(never)
    static func indices(of keys: [String]) -> [Int] {
        keys.indices.sorted { keys[$0] < keys[$1] }
    }
}
