/// Decimal formatting of unsigned integers, two digits at a time.
enum Digits: Sendable {
    /// The maximum number of digits of a `UInt64`.
    static let maxCount = 20

    /// The digit pairs 00 to 99, concatenated.
    private static var pairs: StaticString {
        """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839\
        40414243444546474849505152535455565758596061626364656667686970717273747576777879\
        8081828384858687888990919293949596979899
        """
    }

    /// Writes the digits of `number` so that they end before `end`. Requires ``maxCount`` bytes of space.
    /// - Returns: the address of the first digit.
    @inline(__always)
    static func put(_ number: UInt64, before end: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        let pairs = UnsafeRawPointer(pairs.utf8Start)
        var start = end
        var rest = number
        while rest >= 100 {
            let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
            start -= 2
            start.storeBytes(
                of: pairs.loadUnaligned(fromByteOffset: Int(truncatingIfNeeded: pair &* 2), as: UInt16.self),
                as: UInt16.self
            )
            rest = quotient
        }
        if rest >= 10 {
            start -= 2
            start.storeBytes(
                of: pairs.loadUnaligned(fromByteOffset: Int(truncatingIfNeeded: rest &* 2), as: UInt16.self),
                as: UInt16.self
            )
        } else {
            start -= 1
            start.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
        return start
    }
}
