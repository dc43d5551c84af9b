import ClickstreamJudges

extension FormatFixture {
    /// The formats of automatic capture, in the order of the documents.
    package static let all = [pulse, contentsquare]

    /// The format whose bodies are batches with a header.
    package static let batched = first("batches") { $0.format.batch != nil }

    /// The format with an event for each touch gesture.
    package static let touches = first("touches") { $0.recording.hasTouches }

    private static func first(_ feature: String, where matches: (FormatFixture) -> Bool) -> FormatFixture {
        guard let fixture = all.first(where: matches) else {
            preconditionFailure("Invalid state: no format has \(feature)")
        }
        return fixture
    }
}
