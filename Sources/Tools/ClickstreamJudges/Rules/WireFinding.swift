package import ClickstreamCore

/// Violation in an event in wire form: of the table of codes, of a server rule, or reported by the SDK in the event.
package struct WireFinding: Sendable, Hashable {
    /// The code: a number of the table such as `2003`, or a server rule's text such as `etl_future`.
    package var code: String
    /// The severity; a warning never makes an event bad.
    package var severity: Violation.Severity
    package var subject: Violation.Subject
    /// The name of the field, attribute or item; cut and cleaned like a violation's.
    package var name: String
    /// The message, one sentence with names and lengths, or the SDK's message, cut to the length of a message.
    package var message: String

    package init(
        code: String,
        severity: Violation.Severity,
        subject: Violation.Subject,
        name: String,
        message: String
    ) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.name = name
        self.message = message
    }

    package init(_ violation: Violation) {
        self.init(
            code: violation.code.description,
            severity: violation.severity,
            subject: violation.subject,
            name: violation.name,
            message: violation.message
        )
    }
}

extension Sequence<WireFinding> {
    /// True if one of them is an error, which makes the event bad.
    package var makeEventBad: Bool {
        contains { $0.severity == .error }
    }
}

extension [WireFinding] {
    /// These findings; `last` itself if it has the same ones, so that successive events of a body share them.
    package func shared(with last: [WireFinding]?) -> [WireFinding] {
        guard let last, last.count == count else { return self }
        return zip(self, last).allSatisfy { $0.isSame(as: $1) } ? last : self
    }
}

extension WireFinding {
    /// Compares texts by their scalars: canonically equivalent names are different.
    fileprivate func isSame(as other: WireFinding) -> Bool {
        severity == other.severity && subject == other.subject && Characters.areSame(code, other.code)
            && Characters.areSame(name, other.name) && Characters.areSame(message, other.message)
    }
}
