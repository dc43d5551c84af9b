/// Schedule of the connection attempts to the addresses of one server, according to RFC 8305. Pure: no I/O, no clock.
///
/// An address that drops packets delays the next attempt by ``attemptDelay``, not by the connect timeout.
package struct HappyEyeballs: Sendable, Equatable {
    /// The delay of the next attempt in milliseconds while no attempt has succeeded or failed (RFC 8305, section 5).
    package static let attemptDelay: Int64 = 250

    package enum Action: Sendable, Equatable {
        /// Start an attempt to the address with this index.
        case connect(Int)
        /// Wait for the end of an attempt, at most for this time.
        case wait(milliseconds: Int64)
        /// Stop: all attempts have failed, or the timeout has passed.
        case stop
    }

    private let addressCount: Int
    private let start: Int64
    private let timeout: Int64
    private var nextAddress = 0
    private var nextTime = Int64.min
    private var pending = 0

    /// - Parameters:
    ///   - start: the start of the timeout on the monotonic clock, in milliseconds like all times.
    ///   - timeout: the limit on all attempts together; a negative one counts as 0.
    package init(addressCount: Int, start: Int64, timeout: Int64) {
        self.addressCount = addressCount
        self.start = start
        self.timeout = max(0, timeout)
    }

    /// Returns the next action. The caller stops at the first attempt that succeeds.
    package mutating func next(at now: Int64) -> Action {
        let left = timeout - (now - start)
        guard left > 0 else { return .stop }
        let hasNext = nextAddress < addressCount
        if hasNext, now >= nextTime {
            defer { nextAddress += 1 }
            nextTime = now + Self.attemptDelay
            pending += 1
            return .connect(nextAddress)
        }
        guard pending > 0 else { return .stop }
        return .wait(milliseconds: hasNext ? min(left, nextTime - now) : left)
    }

    /// Reports a failed attempt; the next one starts at once.
    package mutating func attemptFailed() {
        guard pending > 0 else { preconditionFailure("Invalid state: no attempt is pending") }
        pending -= 1
        nextTime = .min
    }

    /// Returns the addresses with their families alternating, that of the first address first (RFC 8305, section 4).
    package static func interleaved<Address, Family: Equatable>(
        _ addresses: [Address],
        by family: (Address) -> Family
    ) -> [Address] {
        guard let preferred = addresses.first.map(family) else { return [] }
        let first = addresses.filter { family($0) == preferred }
        let second = addresses.filter { family($0) != preferred }
        let paired = zip(first, second).flatMap { [$0, $1] }
        return paired + first.dropFirst(second.count) + second.dropFirst(first.count)
    }
}
