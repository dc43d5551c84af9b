extension SessionMachine {
    /// Decision to continue a session or to start a new one, with a readable reason.
    package struct Decision: Sendable, Equatable {
        package var isNew: Bool
        /// The reason in one line, such as `gap 31m < timeout 1h`; at or beyond the timeout the sign is U+2265.
        package var reason: String

        package init(isNew: Bool, reason: String) {
            self.isNew = isNew
            self.reason = reason
        }

        /// The store has no session yet.
        package static let first = Decision(isNew: true, reason: "the first session of this store")

        /// The sessions of this store belong to running processes.
        package static let beside = Decision(isNew: true, reason: "another process is using this store")

        /// No decision, because recording is disabled.
        package static let none = Decision(
            isNew: false,
            reason: "recording is off: coming to the foreground decides nothing"
        )

        /// Compares the time since the app was last active with the timeout; an equal gap starts a new session.
        /// - Parameter gap: milliseconds; a negative value, after the wall clock was set back, counts as 0.
        package static func gap(_ gap: Int64, timeout: Int64) -> Decision {
            let isNew = max(0, gap) >= timeout
            let comparison = "gap \(text(max(0, gap))) \(isNew ? "\u{2265}" : "<") timeout \(text(timeout))"
            let isSetBack = gap < 0
            return Decision(
                isNew: isNew,
                reason: isSetBack ? "\(comparison): the wall clock was set back \(text(-gap)) meanwhile" : comparison
            )
        }

        /// The wall clock was wrong when this process was launched.
        /// - Parameter jump: the jump of the clock to the right time, in milliseconds.
        package static func wrongClock(_ jump: Int64) -> Decision {
            Decision(isNew: true, reason: "the wall clock was wrong: it was set forward \(text(jump))")
        }

        /// Returns milliseconds in the exact notation of replay scripts: `31m`, `1h30m`, `29m59s999ms`, `0ms`.
        package static func text(_ milliseconds: Int64) -> String {
            guard milliseconds > 0 else { return "0ms" }
            var rest = milliseconds
            var text = ""
            for (unit, length) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)]
                as [(String, Int64)]
            {
                if rest >= length { text += "\(rest / length)\(unit)" }
                rest %= length
            }
            return text
        }
    }
}
