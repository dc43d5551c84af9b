package import ClickstreamCore

/// One defect of an event in wire form, by the table of codes, by a server rule, or as reported by the SDK in the event.
package struct WireFinding: Sendable, Hashable {
    /// A number of the table such as `2003`, or a server rule's text such as `etl_future`.
    package var code: String
    /// Warnings never make an event bad.
    package var severity: Violation.Severity
    package var subject: Violation.Subject
    /// The field, attribute or item with the defect; cut and cleaned like a violation's.
    package var name: String
    /// One sentence with names and lengths; a message of the SDK is repeated, cut to the length of a message.
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
