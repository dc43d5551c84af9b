#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore

@c @implementation
package func clickstream_flush_soon(_ client: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.flushEvents()
        case .further(let client): client.flushEvents()
        }
    }
}

@c @implementation
package func clickstream_flush(
    _ client: OpaquePointer!,
    _ deadline: Int64,
    _ report: UnsafeMutablePointer<clickstream_report>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let client = try ClientReference(client).running
        let limit: Duration? = deadline < 0 ? nil : .milliseconds(deadline)
        let result = try BlockingFunction.result { await client.flush(deadline: limit) }
        report?.pointee = clickstream_report(result)
    }
}

extension clickstream_report {
    init(_ report: FlushReport) {
        self.init()
        sent = Int64(report.sent)
        retained = Int64(report.retained)
        set_aside = Int64(report.setAside)
        raw_bytes = Int64(report.rawBytes)
        sent_bytes = Int64(report.sentBytes)
        attempts = Int64(report.attempts)
        error = CLICKSTREAM_FLUSH_COMPLETE
        guard let reason = report.lastError else { return }
        error = clickstream_flush_error(reason)
        http_status = Int32(truncatingIfNeeded: reason.failure?.httpStatus ?? 0)
        withUnsafeMutableBytes(of: &message) { write(reason.description, cutTo: $0) }
    }
}

extension FlushError {
    /// The status of the response, if that is the failure.
    fileprivate var httpStatus: Int? {
        switch self {
        case .redirected(let status, _), .unauthorized(let status), .webPage(let status), .status(let status): status
        case .tooLarge: 413
        case .tooManyRefusals(let refusal), .everythingRefused(let refusal): refusal.httpStatus
        default: nil
        }
    }
}

extension clickstream_flush_error {
    init(_ error: FlushError) {
        self =
            switch error {
            case .noTransport, .noEndpoint, .invalidEndpoint: CLICKSTREAM_FLUSH_NO_ENDPOINT
            case .disabled: CLICKSTREAM_FLUSH_DISABLED
            case .clientEnded, .childProcess: CLICKSTREAM_FLUSH_CLIENT_ENDED
            case .offline: CLICKSTREAM_FLUSH_OFFLINE
            case .storeInUse: CLICKSTREAM_FLUSH_STORE_IN_USE
            case .deadlinePassed: CLICKSTREAM_FLUSH_DEADLINE_PASSED
            case .pausing: CLICKSTREAM_FLUSH_PAUSING
            case .redirected, .unauthorized, .status, .tooLarge, .tooManyRefusals, .everythingRefused:
                CLICKSTREAM_FLUSH_REFUSED
            case .transport, .webPage: CLICKSTREAM_FLUSH_NO_RESPONSE
            case .store: CLICKSTREAM_FLUSH_STORE_FAILED
            case .interrupted: CLICKSTREAM_FLUSH_INTERRUPTED
            }
    }
}
#endif
