/// JSON text of a body, with the range of each element of its array.
struct BodyText: Sendable {
    var bytes: [UInt8] = []
    /// Ranges of the elements, in order. The store records these for events.
    var ranges: [Range<Int>] = []

    /// True if an element of the array has exactly this range.
    func holds(_ range: Range<Int>) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low] == range
    }
}
