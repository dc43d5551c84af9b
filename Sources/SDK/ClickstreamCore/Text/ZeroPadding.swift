extension String {
    /// Formats a nonnegative integer with leading zeros.
    /// - Parameter width: minimum number of digits.
    package init(zeroPadded number: some BinaryInteger, width: Int, radix: Int = 10, uppercase: Bool = false) {
        let digits = String(number, radix: radix, uppercase: uppercase)
        self = String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
