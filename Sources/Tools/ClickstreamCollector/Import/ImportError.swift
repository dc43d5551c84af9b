import ClickstreamCore

/// Reason why a line, or an event in it, is not imported.
package struct ImportError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The line is not JSON.
        case notJSON = "not_json"
        /// JSON with more nested values, members or elements than a line can have.
        case tooLarge = "too_large"
        /// The line is longer than ``LineSplitter/longestLine``.
        case lineTooLong = "line_too_long"
        /// JSON that is neither an event nor a request.
        case unknownContent = "unknown_content"
        /// An event without the members of the wire form.
        case shortForm = "short_form"
        /// An element of a list with a format that does not exist.
        case unknownForm = "unknown_form"
        /// A request without its body.
        case noBody = "no_body"
        /// A request with the beginning of its body.
        case cutBody = "cut_body"
        /// An excerpt of an event.
        case cutEvent = "cut_event"
        /// An event of a batch without the header of the batch.
        case noHeader = "no_header"
        /// An event of a batch with an excerpt of the header.
        case cutHeader = "cut_header"
        /// A field of a request is longer than a header of HTTP.
        case textTooLong = "text_too_long"
        /// The collector does not accept the app id.
        case refusedApp = "refused_app"
    }

    package var code: Code
    /// Offset in the line; `nil` for the line as a whole.
    package var offset: Int?
    /// Description of a syntax error, or a name: of a field, a format, a request or an app. Absent if there is none.
    package var detail: String?

    package init(_ code: Code, offset: Int? = nil, detail: String? = nil) {
        self.code = code
        self.offset = offset
        self.detail = detail
    }

    init(_ error: JSONError, at start: Int = 0) {
        let isJSON = error.kind == .depthExceeded || error.kind == .countExceeded
        self.init(isJSON ? .tooLarge : .notJSON, offset: start + error.offset, detail: error.reason)
    }
}

extension ImportError: CustomStringConvertible {
    /// The cause, and what to do if it is not obvious.
    package var description: String {
        let name = Characters.reported(detail ?? "")
        let request = detail == nil ? "the id of its request" : name
        switch code {
        case .notJSON:
            return "not JSON: \(detail ?? "")"
        case .tooLarge:
            return "too large: \(detail ?? "")"
        case .lineTooLong:
            return "line too long: put each event on a line of its own"
        case .unknownContent:
            return
                "neither an event nor a request: an event has \"event_id\", \"app_id\" and \"timestamp\", a request \"uri\" "
                + "and \"data\""
        case .shortForm:
            return
                "an event without \"event_id\", \"app_id\" and \"timestamp\": send it with 'clickstream-cli record -' and "
                + "'clickstream-cli flush'"
        case .unknownForm:
            return "unknown form \"\(name)\""
        case .noBody:
            return "a request without its body: get it from /api/requests/\(request)"
        case .cutBody:
            return "a request with the beginning of its body: get it from /api/requests/\(request) without 'data_bytes'"
        case .cutEvent:
            return "an excerpt of an event: get the list without 'event_bytes'"
        case .noHeader:
            return
                "an event of a batch without the header of the batch: import whole batches ('replay --dry-run --batches')"
        case .cutHeader:
            return "an event with an excerpt of the header of its batch: get the request from /api/requests/\(request)"
        case .textTooLong:
            return "the field \"\(name)\" of the request has more than \(ImportedLine.longestText) bytes"
        case .refusedApp:
            return "the app id \"\(name)\" is not accepted: see --app-id"
        }
    }
}
