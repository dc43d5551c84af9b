import Clickstream
import ClickstreamCore
import ClickstreamSimulation
import Foundation
import Testing

/// Runs the calls that the inspector page copies; Tests/Browser/copy_test.py compares them with those of the page.
@Suite("Calls copied from the inspector")
struct CopiedCallsTests {
    /// Content of an event that an app determines.
    private struct Content: Equatable {
        var name: String
        var attributes: [String: AttributeValue]
        var items: [[String: AttributeValue]]
        var user: [String: AttributeValue]

        init(_ event: RecordedEvent) {
            func values(_ attributes: Attributes, without names: Set<String> = []) -> [String: AttributeValue] {
                var values: [String: AttributeValue] = [:]
                for element in attributes where !names.contains(element.name) { values[element.name] = element.value }
                return values
            }
            let isScreenView = event.name == EventName.screenView
            name = event.name
            attributes = values(event.attributes, without: isScreenView ? Self.added : Self.added.union(Self.screen))
            items = event.items.map { values($0) }
            user = values(event.user, without: [AttributeName.userFirstTouch])
        }

        /// Attributes that the SDK adds.
        private static let added: Set<String> = [
            AttributeName.sessionID, AttributeName.sessionStart, AttributeName.sessionDuration,
            AttributeName.sessionNumber, AttributeName.entrances, AttributeName.previousScreenName,
            AttributeName.engagementTime,
        ]
        /// Those of the current screen, which a screen view names.
        private static let screen: Set<String> = [
            AttributeName.screenName, AttributeName.screenID, AttributeName.screenUniqueID,
        ]
    }

    /// The events of the table, one on each line.
    private static var lines: [String] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Fixtures/CopiedEvents.ndjson")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { String($0) }
        }
    }

    @Test("each call records the event that was copied")
    func calls() throws {
        let lines = try Self.lines
        #expect(lines.count >= 16)
        for line in lines {
            let copied = try #require(RecordedEvent(json: Array(line.utf8)))
            let recorder = ClickstreamTestRecorder()
            try ClickstreamAnalytics.isolated(in: recorder.world) {
                try ClickstreamAnalytics.initSDK()
                #expect(CopiedCalls.record(copied.name), "no call for \(copied.name)")
            }
            let recorded = try #require(recorder.events.last)
            #expect(Content(recorded) == Content(copied))
            #expect(!recorder.violations.contains { $0.severity == .error }, "\(copied.name)")
        }
    }
}
