/// Content of a crash file: the event that the next launch records, as encoded before the crash.
package struct CrashReport: Sendable, Equatable {
    package var id: UniqueID
    package var timestamp: Timestamp
    /// True if the app was in the foreground, so that the crash counts as activity.
    package var movesLastActive: Bool
    /// The event's JSON.
    package var line: [UInt8]

    package init(id: UniqueID, timestamp: Timestamp, movesLastActive: Bool, line: [UInt8]) {
        self.id = id
        self.timestamp = timestamp
        self.movesLastActive = movesLastActive
        self.line = line
    }

    /// Returns the part of a crash message that fits an attribute.
    package static func cut(message: String) -> String {
        let longest = Rules.attributes.longestValue
        guard message.utf8.count > longest else { return message }
        return String(String.UnicodeScalarView(message.unicodeScalars.prefix(longest)))
    }

    /// Returns the part of a stack trace that the server stores, limited in bytes and cut between characters.
    package static func cut(stack: String) -> String {
        guard stack.utf8.count > Rules.longestExceptionStack else { return stack }
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in stack.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= Rules.longestExceptionStack else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private static let title = "clickstream-crash 1"
    /// The content of a crash file whose event is recorded, but which could not be removed.
    package static let recorded = Array("clickstream-crash recorded\n".utf8)

    /// The encoded report: a header line with a checksum, then the event.
    package var bytes: [UInt8] {
        let rest = "\(movesLastActive ? "F" : "B") \(timestamp.milliseconds) \(id.high) \(id.low)\n"
        let body = Array(rest.utf8) + line
        let checksum = body.withUnsafeBytes { Checksum.crc32c($0) }
        return Array("\(Self.title) \(checksum) ".utf8) + body
    }

    /// Decodes a report; returns `nil` if it is incomplete, damaged or not valid.
    package init?(bytes: [UInt8]) {
        guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = bytes[..<lineEnd].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 7, "\(words[0]) \(words[1])" == Self.title, let checksum = UInt32(words[2]),
            let milliseconds = Int64(words[4]), let high = UInt64(words[5]), let low = UInt64(words[6])
        else { return nil }
        let bodyStart = words[0].utf8.count + words[1].utf8.count + words[2].utf8.count + 3
        let computed = bytes.withUnsafeBytes { Checksum.crc32c(UnsafeRawBufferPointer(rebasing: $0[bodyStart...])) }
        guard computed == checksum else { return nil }
        self.init(
            id: UniqueID(high: high, low: low),
            timestamp: Timestamp(milliseconds: milliseconds),
            movesLastActive: words[3] == "F",
            line: Array(bytes[(lineEnd + 1)...])
        )
    }
}
