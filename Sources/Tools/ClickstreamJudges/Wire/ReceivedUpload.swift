package import ClickstreamCore

/// A request as a server receives it: its query, and the events of its body.
///
/// The inverse of ``UploadRequest/make(_:to:platform:appID:bundleSequenceID:at:authCookie:connectTimeout:requestTimeout:)``,
/// reading by the published server's rules: the body is recognised by its content, not by the parameter.
package struct ReceivedUpload: Sendable, Hashable {
    /// Maximum size of an inflated body: 64 MiB.
    package static let inflationLimit = 67_108_864
    /// Maximum number of elements: ten times those of the largest known request.
    package static let maxElements = 100_000

    package var query: Query
    /// True if `hashCode` matches the body; `nil` without that parameter.
    package var hashMatches: Bool?
    package var content: Content

    /// - Parameters:
    ///   - target: the request's URL, or its path and query.
    ///   - body: as received, after removal of a `Content-Encoding`.
    ///   - inflationLimit: maximum size of the inflated body.
    package init(target: String, body: [UInt8], inflationLimit: Int = ReceivedUpload.inflationLimit) {
        query = Query(of: target)
        hashMatches = query.hashCode.map { $0.lowercased() == SHA256.hashCode(of: body) }
        content = Content(body, inflationLimit: inflationLimit)
    }
}

extension ReceivedUpload {
    /// The parameters of a request's query, decoded.
    package struct Query: Sendable, Hashable {
        package var parameters: [Parameter]

        package struct Parameter: Sendable, Hashable {
            package var name: String
            package var value: String
        }

        /// Parses the text after the first `?`; `+` is a space, an invalid escape is kept.
        package init(of target: String) {
            let query =
                target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
                .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
            parameters = query.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return Parameter(
                    name: Query.decoded(parts[0]),
                    value: parts.count > 1 ? Query.decoded(parts[1]) : ""
                )
            }
        }

        /// The value of the first parameter of that name.
        package subscript(name: String) -> String? {
            parameters.first { $0.name == name }?.value
        }

        package var platform: String? { self["platform"] }
        package var appID: String? { self["appId"] }
        package var compression: String? { self["compression"] }
        package var bundleSequenceID: Int64? { self["event_bundle_sequence_id"].flatMap { Int64($0) } }
        package var uploadTimestamp: Timestamp? {
            self["upload_timestamp"].flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
        }
        package var hashCode: String? { self["hashCode"] }

        package static func decoded(_ text: Substring) -> String {
            let bytes = Array(text.utf8)
            var decoded: [UInt8] = []
            decoded.reserveCapacity(bytes.count)
            var index = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "+"):
                    decoded.append(UInt8(ascii: " "))
                case UInt8(ascii: "%"):
                    if index + 2 < bytes.count, let high = bytes[index + 1].hexadecimalValue,
                        let low = bytes[index + 2].hexadecimalValue
                    {
                        decoded.append(high << 4 | low)
                        index += 2
                    } else {
                        decoded.append(bytes[index])
                    }
                default:
                    decoded.append(bytes[index])
                }
                index += 1
            }
            return String(decoding: decoded, as: UTF8.self)
        }
    }
}

extension ReceivedUpload {
    /// Content of a body.
    package enum Content: Sendable, Hashable {
        case events(Events)
        case unreadable(Flaw)
    }

    /// The elements of a body's array.
    package struct Events: Sendable, Hashable {
        /// The JSON text.
        package var bytes: [UInt8]
        /// Range in ``bytes`` of each element. Each is well-formed JSON, not necessarily an object.
        package var ranges: [Range<Int>]
        /// True if the body was base64 of gzip.
        package var wasCompressed: Bool

        package var count: Int { ranges.count }

        /// The bytes of each element, one after the other.
        package var lines: some Sequence<ArraySlice<UInt8>> { ranges.lazy.map { bytes[$0] } }
    }

    /// Reason why a body is unreadable.
    package struct Flaw: Error, Sendable, Hashable {
        package enum Reason: String, Sendable, Hashable, CaseIterable {
            /// No body, or nothing but white space.
            case empty
            /// Neither JSON nor base64.
            case base64
            /// Base64 of data that is not valid gzip.
            case gzip
            /// Exceeds the limit for inflated bodies.
            case inflationLimit = "inflation_limit"
            /// Text that is not JSON.
            case json
            /// JSON, but not an array.
            case notAnArray = "not_an_array"
            /// An array with too many elements.
            case tooMany = "too_many"
            /// JSON, but not an object, where a batch is expected.
            case notAnObject = "not_an_object"
            /// A batch without an array of events, or with an empty one.
            case noEvents = "no_events"
        }

        package var reason: Reason
        /// Details for a message.
        package var detail: String

        package init(_ reason: Reason, _ detail: String) {
            self.reason = reason
            self.detail = detail
        }
    }
}

extension ReceivedUpload.Content {
    /// Parses a body: JSON text, or base64 of gzip of JSON text.
    ///
    /// Follows the Java libraries of the published pipeline: base64 padding is optional, and bytes after the last gzip
    /// member are ignored.
    package init(_ body: [UInt8], inflationLimit: Int = ReceivedUpload.inflationLimit) {
        do throws(ReceivedUpload.Flaw) {
            self = .events(try ReceivedUpload.Events(body, inflationLimit: inflationLimit))
        } catch {
            self = .unreadable(error)
        }
    }
}

extension ReceivedUpload.Events {
    /// JSON text of a body, which is not parsed.
    package struct Text: Sendable, Hashable {
        package var bytes: [UInt8]
        /// Range of the text without surrounding white space and control characters.
        package var range: Range<Int>
        /// True if the body was base64 of gzip.
        package var wasCompressed: Bool
    }

    /// As ``ReceivedUpload/Content``, for a caller that becomes the only owner of the text.
    package init(_ body: [UInt8], inflationLimit: Int = ReceivedUpload.inflationLimit) throws(ReceivedUpload.Flaw) {
        try self.init(try ReceivedUpload.Events.text(of: body, inflationLimit: inflationLimit))
    }

    /// The elements of a decoded body.
    package init(_ text: Text) throws(ReceivedUpload.Flaw) {
        let ranges = try ReceivedUpload.Events.elements(of: text.bytes, in: text.range)
        self.init(bytes: text.bytes, ranges: ranges, wasCompressed: text.wasCompressed)
    }

    /// Decodes a body without parsing its text.
    package static func text(
        of body: [UInt8],
        inflationLimit: Int = ReceivedUpload.inflationLimit
    ) throws(ReceivedUpload.Flaw) -> Text {
        let text = trimmed(body)
        guard !text.isEmpty else { throw ReceivedUpload.Flaw(.empty, "the body is empty") }
        guard body[text.lowerBound] != UInt8(ascii: "[") || body[text.upperBound - 1] != UInt8(ascii: "]") else {
            return Text(bytes: body, range: text, wasCompressed: false)
        }
        let packed = body.withUnsafeBytes {
            Base64.decode(UnsafeRawBufferPointer(rebasing: $0[text]), padding: .optional)
        }
        guard let packed else {
            throw flawOfText(body, in: text)
                ?? ReceivedUpload.Flaw(.base64, "the body is neither a JSON array nor base64")
        }
        let bytes: [UInt8]
        do throws(GzipError) {
            bytes = try Gzip.inflate(packed, limit: inflationLimit, trailing: .ignored)
        } catch .limitExceeded {
            throw ReceivedUpload.Flaw(.inflationLimit, "the body inflates to more than \(inflationLimit) bytes")
        } catch .outOfMemory {
            throw ReceivedUpload.Flaw(.inflationLimit, "not enough memory to inflate the body")
        } catch {
            throw flawOfText(body, in: text)
                ?? ReceivedUpload.Flaw(.gzip, "the body is base64, but \(error)")
        }
        let inner = trimmed(bytes)
        guard !inner.isEmpty else { throw ReceivedUpload.Flaw(.empty, "the inflated body is empty") }
        return Text(bytes: bytes, range: inner, wasCompressed: true)
    }

    /// Range of the text without surrounding white space and control characters.
    private static func trimmed(_ bytes: [UInt8]) -> Range<Int> {
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 })
        else { return 0..<0 }
        return first..<last + 1
    }

    private static func elements(of bytes: [UInt8], in text: Range<Int>) throws(ReceivedUpload.Flaw) -> [Range<Int>] {
        do throws(JSONError) {
            return try JSONReader.elements(of: bytes[text], maxCount: ReceivedUpload.maxElements)
        } catch {
            throw flaw(of: error, bytes, in: text)
        }
    }

    /// Flaw of a body that looks like JSON text; `nil` for any other body.
    private static func flawOfText(_ bytes: [UInt8], in text: Range<Int>) -> ReceivedUpload.Flaw? {
        let error = JSONReader.syntaxError(in: bytes, text)
        if error == nil { return ReceivedUpload.Flaw(.notAnArray, "the body is JSON, but not an array") }
        let opening = bytes[text.lowerBound]
        guard let error, opening == UInt8(ascii: "[") || opening == UInt8(ascii: "{") else { return nil }
        return flaw(of: error, bytes, in: text)
    }

    private static func flaw(of error: JSONError, _ bytes: [UInt8], in text: Range<Int>) -> ReceivedUpload.Flaw {
        if error.kind == .countExceeded {
            return ReceivedUpload.Flaw(.tooMany, "the array has \(error.reason)")
        }
        if error.kind == .notAnArray, JSONReader.syntaxError(in: bytes, text) == nil {
            return ReceivedUpload.Flaw(.notAnArray, "the body is JSON, but not an array")
        }
        let reason = error.kind == .notAnArray ? JSONReader.syntaxError(in: bytes, text) ?? error : error
        return ReceivedUpload.Flaw(.json, "the body is not valid JSON: \(reason)")
    }
}

extension JSONReader {
    /// Returns the first syntax error of a JSON text; `nil` for valid JSON.
    static func syntaxError(in bytes: [UInt8], _ text: Range<Int>) -> JSONError? {
        bytes.withUnsafeBytes { buffer in
            do throws(JSONError) {
                try check(UnsafeRawBufferPointer(rebasing: buffer[text]))
                return nil
            } catch {
                return error
            }
        }
    }
}
