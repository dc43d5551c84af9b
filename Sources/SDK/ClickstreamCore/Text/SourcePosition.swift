/// Line and column in a text, both from 1; columns count Unicode scalars.
package struct SourcePosition: Sendable, Hashable {
    package var line: Int
    package var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Converts a byte offset. LF, CR LF and a lone CR end a line; an offset past the end is the end.
    package init(of offset: Int, in bytes: some Collection<UInt8>) {
        line = 1
        column = 1
        var previous: UInt8 = 0
        for byte in bytes.prefix(max(0, offset)) {
            switch byte {
            case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"):
                break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                line += 1
                column = 1
            case 0x80..<0xC0:
                break
            default:
                column += 1
            }
            previous = byte
        }
    }
}

extension SourcePosition: CustomStringConvertible {
    package var description: String { "\(line):\(column)" }
}
