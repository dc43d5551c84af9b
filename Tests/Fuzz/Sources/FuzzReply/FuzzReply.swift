import FuzzInput
import HTTPReply

@testable import ClickstreamCore

/// Replies of a server: the same reply in one piece and in many, and a verdict on every one.
@c(LLVMFuzzerTestOneInput)
public func fuzzReply(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
    let size = max(1, Int(input.byte()))
    let bytes = Array(input.rest())
    var whole = HTTPReply()
    var pieces = HTTPReply()
    let progress = whole.receive(bytes)
    var last = HTTPReply.Progress.incomplete
    var position = 0
    while position < bytes.count, last == .incomplete {
        last = pieces.receive(bytes[position..<min(bytes.count, position + size)])
        position += size
    }
    require(last == progress, "in pieces \(last), in one \(progress)")
    require(whole.close() == pieces.close(), "the end differs")
    if case .complete(let response) = progress {
        require(response.body.count <= UploadResponse.bodyLimit, "the body is long")
        let verdict = DeliveryVerdict(.success(response), now: Timestamp(milliseconds: 1_700_000_000_000))
        require((verdict == .delivered) == response.isSuccess, "\(verdict) for \(response.status)")
    }
    return 0
}
