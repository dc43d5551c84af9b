import ClickstreamCore
import Testing

@Suite("Gzip data in pieces")
struct GzipStreamTests {
    private static let text = (0..<5_000).flatMap { Array("line \($0 % 97)\n".utf8) }
    private static let members =
        Gzip.deflate(Array(text[..<20_000])) + Gzip.deflate([]) + Gzip.deflate(Array(text[20_000...]))

    /// Output for data in pieces of a length, until its end or an error.
    private func inflate(_ data: [UInt8], pieces length: Int) throws(GzipError) -> (output: [UInt8], isComplete: Bool) {
        let stream = try GzipStream()
        var output: [UInt8] = []
        var start = 0
        while start < data.count {
            stream.append(Array(data[start..<min(start + length, data.count)]))
            start += length
            while true {
                let part = try stream.read(1_000)
                if part.isEmpty { break }
                output += part
            }
        }
        return (output, stream.isComplete)
    }

    @Test("is that of all members, whatever the length of the pieces", arguments: [1, 7, 100, 1_000_000])
    func members(_ length: Int) throws {
        let found = try inflate(Self.members, pieces: length)
        #expect(found.output == Self.text)
        #expect(found.isComplete)
    }

    @Test("is incomplete if it is cut, and has the output before the cut")
    func cut() throws {
        let found = try inflate(Array(Self.members.dropLast(20)), pieces: 64)
        #expect(!found.isComplete)
        #expect(found.output.count > 20_000)
        #expect(Self.text.starts(with: found.output))
    }

    @Test("returns the output before damage, then the error")
    func damage() throws {
        let stream = try GzipStream()
        stream.append(Gzip.deflate(Array("whole\n".utf8)) + Array("no gzip".utf8))
        #expect(try stream.read(1_000) == Array("whole\n".utf8))
        #expect(throws: GzipError.corrupt) { try stream.read(1_000) }
        #expect(throws: GzipError.corrupt) { try stream.read(1_000) }
    }
}
