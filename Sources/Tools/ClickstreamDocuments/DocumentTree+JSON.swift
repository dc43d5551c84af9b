import ClickstreamCore

extension DocumentTree {
    /// Parses JSON text (RFC 8259).
    init(json bytes: [UInt8], noun: String) {
        do throws(JSONError) {
            var lines = LineCursor(bytes)
            root = node(of: try JSONReader.parse(bytes, maxDepth: DocumentTree.maxDepth), &lines)
        } catch {
            // An empty document has its own message in both notations.
            guard let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return }
            problems = [
                DocumentProblem(
                    at: SourcePosition(of: error.offset, in: bytes),
                    "not JSON: \(error.reason)",
                    suggestion: first == UInt8(ascii: "{")
                        ? nil : "a file named .json is read as JSON; name a YAML \(noun) .yaml"
                )
            ]
        }
    }

    private mutating func node(of value: JSONValue, _ lines: inout LineCursor) -> DocumentNode {
        let position = lines.position(of: value.offset)
        switch value.kind {
        case .null:
            return DocumentNode(.null, at: position, spelling: "null")
        case .boolean(let truth):
            return DocumentNode(.boolean(truth), at: position, spelling: truth ? "true" : "false")
        case .string(let text):
            return DocumentNode(.string(text), at: position)
        case .number(let number):
            return self.number(number, at: position)
        case .array(let elements):
            var list: [DocumentNode] = []
            list.reserveCapacity(elements.count)
            for element in elements { list.append(node(of: element, &lines)) }
            return DocumentNode(.list(list), at: position)
        case .object(let members):
            var entries: [DocumentNode.Entry] = []
            entries.reserveCapacity(members.count)
            for member in members {
                let keyPosition = lines.position(of: member.nameOffset)
                let value = node(of: member.value, &lines)
                entries.append(DocumentNode.Entry(key: member.name, keyPosition: keyPosition, value: value))
            }
            problems += DocumentTree.repeatedKeys(in: entries)
            return DocumentNode(.mapping(entries), at: position)
        }
    }

    private mutating func number(_ number: JSONNumber, at position: SourcePosition) -> DocumentNode {
        if let integer = number.integer {
            return DocumentNode(.integer(integer), at: position, spelling: number.text)
        }
        guard number.text.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }) else {
            problems.append(.integerTooLarge(number.text, at: position))
            return DocumentNode(.unreadable, at: position)
        }
        guard number.double.isFinite else {
            problems.append(.doubleTooLarge(number.text, at: position))
            return DocumentNode(.unreadable, at: position)
        }
        return DocumentNode(.double(number.double), at: position, spelling: number.text)
    }
}

extension DocumentProblem {
    static func integerTooLarge(_ spelling: String, at position: SourcePosition) -> DocumentProblem {
        DocumentProblem(
            at: position,
            "the integer \(spelling.prefix(40)) does not fit in 64 bits",
            suggestion: "write it with a decimal point to make it a double, or in quotation marks to make it a string"
        )
    }

    static func doubleTooLarge(_ spelling: String, at position: SourcePosition) -> DocumentProblem {
        DocumentProblem(
            at: position,
            "the number \(spelling.prefix(40)) is outside the range of a double",
            suggestion: "in YAML, infinity is written .inf"
        )
    }
}

/// Converts ascending byte offsets to lines and columns, in one pass over the text.
private struct LineCursor {
    private let bytes: [UInt8]
    private var offset = 0
    private var position = SourcePosition(line: 1, column: 1)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Offsets must not decrease; a smaller one returns the current position.
    mutating func position(of target: Int) -> SourcePosition {
        while offset < min(target, bytes.count) {
            switch bytes[offset] {
            case UInt8(ascii: "\n") where offset > 0 && bytes[offset - 1] == UInt8(ascii: "\r"):
                break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                position = SourcePosition(line: position.line + 1, column: 1)
            case 0x80..<0xC0:
                break
            default:
                position.column += 1
            }
            offset += 1
        }
        return position
    }
}
