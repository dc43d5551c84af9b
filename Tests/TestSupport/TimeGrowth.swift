/// Processor times of the same work on an input and on one four times its size.
package struct TimeGrowth: Sendable, CustomStringConvertible {
    package let small: Duration
    package let large: Duration

    /// Measures `body`: the shorter of two times for each size.
    /// - Parameters:
    ///   - size: the size of the small input.
    ///   - makeInput: returns an input of a size; not measured.
    package init<Input>(
        from size: Int,
        input makeInput: (Int) throws -> Input,
        of body: (Input) throws -> Void
    ) throws {
        func time(_ size: Int) throws -> Duration {
            let input = try makeInput(size)
            return min(try processorTime { try body(input) }, try processorTime { try body(input) })
        }
        small = try time(size)
        large = try time(4 * size)
    }

    /// True if the time grew less than eightfold, apart from 50 ms: linear work takes four times as long, quadratic
    /// work sixteen times. A quadratic body has to take more than 10 ms for the small input.
    package var isLinear: Bool { large < small * 8 + .milliseconds(50) }

    package var description: String { "\(small), and \(large) for four times the size" }
}
