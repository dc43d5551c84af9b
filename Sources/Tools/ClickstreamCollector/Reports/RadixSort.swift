extension Array {
    /// Sorts by a number, the least first; elements with equal numbers keep their order.
    ///
    /// Takes one pass for each byte in which the numbers differ, whatever their distribution, and the memory of a second array.
    mutating func radixSort(by key: (Element) -> UInt64) {
        guard let first else { return }
        let reference = key(first)
        let differing = reduce(0 as UInt64) { $0 | (key($1) ^ reference) }
        guard differing != 0 else { return }
        var sorted = self
        for shift in stride(from: 0 as UInt64, to: 64, by: 8) where differing >> shift & 0xFF != 0 {
            // Index of the next element with each digit.
            var next = [Int](repeating: 0, count: 257)
            for element in self { next[Int(key(element) >> shift & 0xFF) + 1] += 1 }
            for digit in 1..<256 { next[digit] += next[digit - 1] }
            for element in self {
                let digit = Int(key(element) >> shift & 0xFF)
                sorted[next[digit]] = element
                next[digit] += 1
            }
            swap(&self, &sorted)
        }
    }
}
