import ClickstreamJudges
import Testing

@Suite("Lines of a text in pieces")
struct LineSplitterTests {
    private func lines(_ text: String, pieces length: Int, maxBytes: Int = 1_000) -> [LineSplitter.Line] {
        var splitter = LineSplitter(maxBytes: maxBytes)
        var lines: [LineSplitter.Line] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: length) {
            splitter.append(Array(bytes[start..<min(start + length, bytes.count)]))
            while let line = splitter.next() { lines.append(line) }
        }
        splitter.end()
        while let line = splitter.next() { lines.append(line) }
        return lines
    }

    @Test("are numbered, without empty ones, line ends and a byte order mark", arguments: [1, 2, 5, 100])
    func text(_ length: Int) {
        let found = lines("\u{FEFF}a\r\n\n  \nbb\nlast", pieces: length)
        let expected = [(1, "a"), (4, "bb"), (5, "last")]
        #expect(found == expected.map { LineSplitter.Line(number: $0.0, bytes: Array($0.1.utf8)) })
    }

    @Test("are skipped if they are too long, also at the end", arguments: [1, 8, 53, 1_000])
    func long(_ length: Int) {
        let long = String(repeating: "x", count: 50)
        let found = lines("\(long)\na\n\(long)", pieces: length, maxBytes: 20)
        #expect(
            found == [
                LineSplitter.Line(number: 1, bytes: nil), LineSplitter.Line(number: 2, bytes: [UInt8(ascii: "a")]),
                LineSplitter.Line(number: 3, bytes: nil),
            ]
        )
    }
}
