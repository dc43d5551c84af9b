/// Message that precedes a possible crash, with its ordinal.
package struct Breadcrumb: Sendable, Equatable {
    /// The maximum length of ``text`` in bytes.
    package static let longest = 480

    /// The ordinal in the process, from 1.
    package var number: UInt64
    /// The time and the message, one line.
    package var text: String

    package init(number: UInt64, text: String) {
        self.number = number
        self.text = text
    }
}

/// The latest breadcrumbs of a process, oldest first: a bounded buffer.
package struct Breadcrumbs: Sendable, Equatable {
    /// The maximum number of breadcrumbs.
    package static let maxCount = 50

    package private(set) var kept: [Breadcrumb] = []
    private var count: UInt64 = 0

    package init() {}

    /// Adds a message, cut between characters and without line breaks; removes the oldest one beyond ``maxCount``.
    package mutating func add(_ message: String, at time: Timestamp) -> Breadcrumb {
        count += 1
        let crumb = Breadcrumb(number: count, text: Self.line(message, at: time))
        if kept.count == Self.maxCount { kept.removeFirst() }
        kept.append(crumb)
        return crumb
    }

    /// The value of `_exception_breadcrumbs`: one line for each breadcrumb.
    package var text: String { Self.text(kept) }

    package static func text(_ crumbs: [Breadcrumb]) -> String {
        crumbs.map(\.text).joined(separator: "\n")
    }

    private static func line(_ message: String, at time: Timestamp) -> String {
        var line = "\(time) "
        var length = line.utf8.count
        // The time is ASCII: the rest of the line is cut between scalars.
        for scalar in message.unicodeScalars {
            let isBreak = scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}"
            let kept: Unicode.Scalar = isBreak ? " " : scalar
            length += UTF8.width(kept)
            guard length <= Breadcrumb.longest else { break }
            line.unicodeScalars.append(kept)
        }
        return line
    }
}
