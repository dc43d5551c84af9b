import ClickstreamJudges
import FuzzInput

@testable import ClickstreamCore

/// Compressed bytes from anywhere: inflating ends, stops at its limit, and gives back what was deflated; uploads made of it
/// are read or refused.
@c(LLVMFuzzerTestOneInput)
public func fuzzGzip(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
    if input.byte() % 4 == 3 { readUpload(&input) } else { inflate(input.rest()) }
    return 0
}

private func inflate(_ bytes: UnsafeRawBufferPointer) {
    let limit = 100_000
    do {
        require(try Gzip.inflate(bytes, limit: limit).count <= limit, "more than the limit")
    } catch {}
    let plain = Array(bytes)
    do {
        require(try Gzip.inflate(Gzip.deflate(plain), limit: plain.count) == plain, "does not come back")
    } catch {
        require(false, "\(error)")
    }
}

private func readUpload(_ input: inout FuzzInput) {
    let target = input.text()
    let body = Array(input.rest())
    for body in [body, Array(Base64.encode(Gzip.deflate(body)))] {
        let upload = ReceivedUpload(target: target, body: body, inflationLimit: 100_000)
        guard case .events(let events) = upload.content else { continue }
        for line in events.lines {
            do {
                try line.withUnsafeBytes { try JSONReader.check($0) }
            } catch {
                require(false, "\(error)")
            }
        }
    }
}
