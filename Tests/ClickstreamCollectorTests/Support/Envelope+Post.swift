import ClickstreamCore
import ClickstreamJudges
import Foundation

@testable import ClickstreamCollector

extension Envelope {
    /// POST request to the path of a format, without parameters.
    /// - Parameter form: format of captured events; `nil` for the clickstream format.
    static func post(
        _ body: [UInt8],
        _ form: CapturedFormat? = nil,
        id: String = UUID().uuidString,
        at time: Timestamp = Timestamp(milliseconds: FixedTime.start),
        isContentEncoded: Bool = false
    ) -> Envelope {
        Envelope(
            id: id,
            receivedAt: time,
            method: "POST",
            uri: form?.path ?? "/collect",
            path: form?.path ?? "/collect",
            body: body,
            isContentEncoded: isContentEncoded,
            form: form
        )
    }
}
