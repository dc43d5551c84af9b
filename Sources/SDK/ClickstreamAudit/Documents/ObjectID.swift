import ClickstreamCore

/// Identifier of an event with the text of a MongoDB ObjectId: the seconds since 1970, five bytes of the process, and a
/// counter of three bytes.
struct ObjectIDSource: Sendable {
    /// The number of digits.
    static let length = 24

    private let process: UInt64
    private var counter: UInt64

    init(_ ids: any IDSource) {
        process = ids.random() & 0xFF_FFFF_FFFF
        counter = ids.random() & 0xFF_FFFF
    }

    /// Returns 24 lower-case hexadecimal digits.
    mutating func next(at time: Timestamp) -> String {
        counter = (counter + 1) & 0xFF_FFFF
        let seconds = UInt32(truncatingIfNeeded: time.milliseconds / 1_000)
        return [(UInt64(seconds), 8), (process, 10), (counter, 6)].map { number, width in
            String(zeroPadded: number, width: width, radix: 16)
        }.joined()
    }
}
