#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

/// Constant text that C code may keep. Allocated once.
private struct StaticText: @unchecked Sendable {
    // Unchecked: the bytes are never changed or deallocated.
    let start: UnsafePointer<CChar>

    init(_ text: String) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count + 1, alignment: 1)
        bytes.copyBytes(from: text.utf8)
        bytes[text.utf8.count] = 0
        start = UnsafePointer(bytes.bindMemory(to: CChar.self).baseAddress!)
    }
}

private let version = StaticText(SDK.version)

@c @implementation
package func clickstream_version() -> UnsafePointer<CChar>! { version.start }

private let texts = [
    "no error", "invalid argument", "invalid UTF-8", "number is not finite", "invalid handle", "invalid JSON",
    "unknown key", "invalid value", "no value", "buffer too small", "already running", "not running",
    "invalid configuration", "the store cannot be opened", "the process is a child of fork",
    "blocking call within a callback", "too many handles", "no thread can be created",
].map { StaticText($0) }

private let unknownStatus = StaticText("unknown status")

@c @implementation
package func clickstream_status_text(_ status: clickstream_status) -> UnsafePointer<CChar>! {
    let index = Int(status.rawValue)
    return texts.indices.contains(index) ? texts[index].start : unknownStatus.start
}

extension clickstream_status {
    /// The status of a start that failed.
    init(ofStart error: any Error) {
        switch error {
        case is StoreError: self = CLICKSTREAM_STORE_FAILED
        case let reason as InitError:
            switch reason {
            case .alreadyRunning: self = CLICKSTREAM_ALREADY_RUNNING
            case .notRunning: self = CLICKSTREAM_NOT_RUNNING
            case .childOfFork: self = CLICKSTREAM_CHILD_PROCESS
            case .missingAppID, .badEndpoint, .badAuthCookie: self = CLICKSTREAM_INVALID_CONFIGURATION
            }
        default: self = CLICKSTREAM_INVALID_CONFIGURATION
        }
    }
}
#endif
