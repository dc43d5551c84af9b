import ClickstreamCore
import ClickstreamJudges
import FuzzInput

/// The JSON reader over any bytes: it ends, agrees with itself, and what it reads is written back equal.
@c(LLVMFuzzerTestOneInput)
public func fuzzJSON(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let value = read(bytes)
    let strict = read(bytes, loneSurrogates: .refused)
    let isText: Bool
    do {
        try JSONReader.check(bytes)
        isText = true
    } catch {
        isText = false
        require((0...count).contains(error.offset), "the error is outside the text: \(error)")
        require(!error.reason.isEmpty, "the error has no reason")
        _ = SourcePosition(of: error.offset, in: bytes)
    }
    require(isText == (value != nil), "parse and check disagree")
    require(strict == nil || strict == value, "what is strict differs")
    let elements = ranges(bytes)
    require((elements != nil) == (value?.array != nil), "parse and elements disagree")
    if let elements {
        let parts = elements.map { read(UnsafeRawBufferPointer(rebasing: bytes[$0])) }
        require(parts == value?.array, "the elements differ")
    }
    guard let value else { return 0 }

    var written: [UInt8] = []
    value.write(into: &written)
    require(written.withUnsafeBytes { read($0, loneSurrogates: .refused) } == value, "it does not read back equal")
    for form in [WireJudge.Form.complete, .partial] {
        for finding in WireJudge.judge(
            value,
            form: form,
            receivedAt: Timestamp(milliseconds: 0),
            reportsSuggestions: true
        ) {
            require(finding.message.unicodeScalars.count <= Rules.longestMessage, "long: \(finding)")
            require(finding.name.unicodeScalars.count <= Rules.longestReportedName, "long: \(finding)")
        }
    }
    return 0
}

private func read(
    _ bytes: UnsafeRawBufferPointer,
    loneSurrogates: JSONReader.LoneSurrogates = .replaced
) -> JSONValue? {
    // Only whether it can be read is asked; `check` above looks at the reason.
    try? JSONReader.parse(bytes, loneSurrogates: loneSurrogates)
}

private func ranges(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
    // As above.
    try? JSONReader.elements(of: bytes)
}
