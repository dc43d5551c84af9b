import ClickstreamCore

/// Incremental parser of server-sent events: bytes in, frames out.
///
/// Follows the standard (WHATWG HTML, 9.2): lines end with LF, CR or CR LF; a byte order mark at the beginning is
/// ignored; an `id` applies until the next one; a frame without data is ignored. Buffers one frame of at most
/// ``frameLimit`` bytes.
struct ServerSentEvents: Sendable {
    /// Maximum bytes of one line, and of the data of one frame: a request of 1 MiB may inflate to an event of 64 MiB.
    static let frameLimit = 80 * 1_048_576

    /// A frame of the stream.
    struct Frame: Sendable, Hashable {
        /// The event name; `message` if the frame has none.
        var event: String
        var data: String
        /// The last `id` up to this frame, if any.
        var id: String?
    }

    /// A line or a frame is longer than ``frameLimit``.
    struct TooLong: Error {}

    /// Id to resume with: the last `id`, even of a frame without data.
    private(set) var lastID: String?
    /// Reconnection delay requested by the server, in milliseconds.
    private(set) var retry: Int64?

    private var line: [UInt8] = []
    private var event = ""
    private var data: [UInt8] = []
    private var hasData = false
    private var id: String?
    /// True if the last byte was a CR, so that a following LF belongs to it.
    private var followsCarriageReturn = false
    private var isFirstLine = true

    /// - Parameter lastID: last id of an earlier connection.
    init(lastID: String? = nil) {
        self.lastID = lastID
        id = lastID
    }

    /// Parses received bytes and returns the completed frames.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(TooLong) -> [Frame] {
        var frames: [Frame] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n") where followsCarriageReturn:
                followsCarriageReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                followsCarriageReturn = byte == UInt8(ascii: "\r")
                if let frame = try endLine() { frames.append(frame) }
            default:
                followsCarriageReturn = false
                line.append(byte)
                if line.count > Self.frameLimit { throw TooLong() }
            }
        }
        return frames
    }

    private mutating func endLine() throws(TooLong) -> Frame? {
        defer { line.removeAll(keepingCapacity: line.count < 65_536) }
        if isFirstLine { line = Array(line.withoutByteOrderMark) }
        isFirstLine = false
        if line.isEmpty { return endFrame() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        // A line that begins with a colon is a comment.
        if colon == 0 { return nil }
        let name = String(decoding: line[..<(colon ?? line.count)], as: UTF8.self)
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch name {
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
            if data.count > Self.frameLimit { throw TooLong() }
        case "event":
            event = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0):
            id = value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        case "retry":
            if !value.isEmpty, value.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
                retry = Int64(String(decoding: value, as: UTF8.self)) ?? retry
            }
        default:
            break
        }
        return nil
    }

    private mutating func endFrame() -> Frame? {
        lastID = id
        defer {
            (event, hasData) = ("", false)
            data.removeAll(keepingCapacity: data.count < 65_536)
        }
        guard hasData else { return nil }
        return Frame(event: event.isEmpty ? "message" : event, data: String(decoding: data, as: UTF8.self), id: lastID)
    }
}
