/// Set of positions in a short list; the first 64 positions need no allocation.
package struct SmallIndexSet: Sendable, Equatable {
    private var low: UInt64 = 0
    private var high: [UInt64] = []

    package init() {}

    package var isEmpty: Bool { low == 0 && high.isEmpty }

    package var count: Int {
        high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
    }

    package func contains(_ index: Int) -> Bool {
        if index < UInt64.bitWidth { return low & (1 << UInt64(index)) != 0 }
        let word = index / UInt64.bitWidth - 1
        return word < high.count && high[word] & (1 << UInt64(index % UInt64.bitWidth)) != 0
    }

    package mutating func insert(_ index: Int) {
        if index < UInt64.bitWidth {
            low |= 1 << UInt64(index)
            return
        }
        let word = index / UInt64.bitWidth - 1
        while high.count <= word { high.append(0) }
        high[word] |= 1 << UInt64(index % UInt64.bitWidth)
    }
}
