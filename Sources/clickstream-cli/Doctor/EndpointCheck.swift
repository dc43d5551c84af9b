#if Tools
import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamTools
import Foundation
import NIOHTTP1

/// Whether the server is there, lets this app in, and has the same time. No event is sent, and nothing that the server
/// would keep: `/ping`, and the announcement of a body that is too long to be taken.
struct EndpointCheck: Sendable {
    private let configuration: Configuration

    /// Past so many seconds the clocks are told to differ: then sessions of several devices no longer stand in order.
    private static let noticeableSkew: Int64 = 60
    /// What is longer than any server of this kind takes: 1 MiB is the published one's limit.
    private static let announcedBytes = 64 * 1_048_576

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    func findings() async -> [DoctorFinding] {
        guard !configuration.endpoint.isEmpty else {
            return [
                DoctorFinding(
                    .warning,
                    .endpoint,
                    "no endpoint is configured",
                    why: "events are kept and never sent",
                    next: "set it in amplifyconfiguration.json, in CLICKSTREAM_ENDPOINT, or name it with --endpoint"
                )
            ]
        }
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(configuration.endpoint)
        } catch {
            return [
                DoctorFinding(
                    .problem,
                    .configuration,
                    "\(error)",
                    why: "an app would not start",
                    next: "correct it, such as https://example.com/collect"
                )
            ]
        }
        var findings = transportFindings(endpoint)
        let isProxied = URLSessionTransport.namesProxy(ProcessInfo.processInfo.environment)
        findings +=
            endpoint.scheme == .http && !isProxied ? await plainFindings(endpoint) : await findingsOnTheWay(endpoint)
        return findings
    }

    private func transportFindings(_ endpoint: Endpoint) -> [DoctorFinding] {
        let isHere = endpoint.host == "localhost" || endpoint.host.hasPrefix("127.") || endpoint.host == "::1"
        guard endpoint.scheme == .http, !isHere else { return [] }
        return [
            DoctorFinding(
                .warning,
                .endpoint,
                "\(endpoint.authority) is spoken to without encryption",
                at: endpoint.description,
                why: "everybody on the way can read the events"
                    + (configuration.authCookie == nil ? "" : " and the cookie"),
                next: "use https"
            )
        ]
    }

    // MARK: - Asking

    /// `/ping` of the same server, with the app id: the published load balancer lets nobody else in.
    private var pingTarget: String {
        "/ping?" + EventQuestion.query([("appId", configuration.appID)])
    }

    private var cookie: [(String, String)] {
        configuration.authCookie.map { [("cookie", $0)] } ?? []
    }

    private func plainFindings(_ endpoint: Endpoint) async -> [DoctorFinding] {
        let address = CollectorAddress(endpoint)
        let start = SystemTime().now()
        var answer: (status: Int, date: String?)?
        do {
            try await CollectorConnection.ask(pingTarget, headers: cookie, of: address, silence: 15) { head, _ in
                answer = (head.status, head.headers.first(name: "date"))
                return false
            }
        } catch {
            return [unreachable(endpoint, (error as? CollectorConnection.Failure)?.reason ?? "\(error)")]
        }
        guard let answer else { return [unreachable(endpoint, "no answer")] }
        var findings = pingFindings(endpoint, answer.status, answer.date, start, SystemTime().now())
        // Where even a ping is turned away, that is what has to be mended first.
        if ![401, 403].contains(answer.status) { findings += await admissionFindings(endpoint, address) }
        return findings
    }

    /// Over https, or by a proxy, the question goes the way that an app's deliveries go, with the same roots and limits.
    private func findingsOnTheWay(_ endpoint: Endpoint) async -> [DoctorFinding] {
        let start = SystemTime().now()
        var question = UploadRequest(
            url: "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(pingTarget)",
            headers: cookie.map { UploadRequest.Header($0.0, $0.1) },
            body: []
        )
        question.method = .get
        do {
            let answer = try await URLSessionTransport().send(question)
            return pingFindings(endpoint, answer.status, answer.date, start, SystemTime().now()) + [
                DoctorFinding(
                    .skipped,
                    .endpoint,
                    "whether the path takes events cannot be asked "
                        + (endpoint.scheme == .http ? "by a proxy" : "over https") + " without sending any"
                )
            ]
        } catch {
            return [unreachable(endpoint, "\(error)")]
        }
    }

    private func unreachable(_ endpoint: Endpoint, _ reason: String) -> DoctorFinding {
        DoctorFinding(
            .problem,
            .endpoint,
            "\(endpoint.authority) does not answer: \(reason)",
            at: endpoint.description,
            why: "events are kept until it does",
            next: "check the address, the network, the proxy and the certificate; curl -v \(endpoint) says more"
        )
    }

    // MARK: - What the answer means

    private func pingFindings(
        _ endpoint: Endpoint,
        _ status: Int,
        _ date: String?,
        _ start: Moment,
        _ end: Moment
    ) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        switch status {
        case 200..<300:
            findings.append(
                DoctorFinding(
                    .ok,
                    .endpoint,
                    "\(endpoint.authority) answers in \(end.steady - start.steady) ms",
                    at: endpoint.description
                )
            )
        case 401:
            findings.append(refusal(endpoint, status))
        case 403:
            findings.append(refusal(endpoint, status))
        case 300..<400:
            findings.append(
                DoctorFinding(
                    .problem,
                    .endpoint,
                    "\(endpoint.authority) redirects (\(status))",
                    at: endpoint.description,
                    why: "redirects are not followed: a POST would arrive as an empty GET",
                    next: "use the address that it leads to; often that is https"
                )
            )
        default:
            findings.append(
                DoctorFinding(
                    .warning,
                    .endpoint,
                    "\(endpoint.authority) answers /ping with \(status)",
                    at: endpoint.description,
                    why: "an ingestion server answers 200",
                    next: "check that this is one, and that it is well"
                )
            )
        }
        findings.append(clockFinding(endpoint, date, start, end))
        return findings
    }

    private func refusal(_ endpoint: Endpoint, _ status: Int) -> DoctorFinding {
        status == 401
            ? DoctorFinding(
                .problem,
                .endpoint,
                "\(endpoint.authority) does not know who we are (401)",
                at: endpoint.description,
                why: "events are kept",
                next: configuration.authCookie == nil
                    ? "set authCookie" : "the authCookie is wrong or has expired: set a new one"
            )
            : DoctorFinding(
                .problem,
                .endpoint,
                "\(endpoint.authority) does not take the path \(endpoint.path) or the app id \(configuration.appID) (403)",
                at: endpoint.description,
                why: "events are kept",
                next: "compare both with those that the server was set up with"
            )
    }

    /// Announces a body that no server takes, and sends none: what refuses us before that says so.
    private func admissionFindings(_ endpoint: Endpoint, _ address: CollectorAddress) async -> [DoctorFinding] {
        let target = endpoint.target(
            adding: EventQuestion.query([("platform", "doctor"), ("appId", configuration.appID)])
        )
        var status = 0
        do {
            try await CollectorConnection.ask(
                target,
                headers: cookie,
                announcing: Self.announcedBytes,
                of: address,
                silence: 5
            ) { head, _ in
                status = head.status
                return false
            }
        } catch {
            status = 0
        }
        switch status {
        case 413, 100:
            return [
                DoctorFinding(
                    .ok,
                    .endpoint,
                    "\(endpoint.path) takes events of \(configuration.appID)"
                        + (configuration.authCookie == nil ? "" : " with this cookie"),
                    at: endpoint.description
                )
            ]
        case 401, 403:
            return [refusal(endpoint, status)]
        case 404, 405:
            return [
                DoctorFinding(
                    .problem,
                    .endpoint,
                    "\(endpoint.path) takes no events (\(status))",
                    at: endpoint.description,
                    why: "events are kept",
                    next: "check the path: it is often /collect"
                )
            ]
        default:
            return [
                DoctorFinding(
                    .skipped,
                    .endpoint,
                    "whether \(endpoint.path) takes events of \(configuration.appID) could not be asked without sending any"
                        + (status == 0 ? "" : " (\(status))"),
                    at: endpoint.description
                )
            ]
        }
    }

    // MARK: - The clock

    private func clockFinding(_ endpoint: Endpoint, _ date: String?, _ start: Moment, _ end: Moment) -> DoctorFinding {
        guard let date, let theirs = Self.seconds(ofHTTPDate: date) else {
            return DoctorFinding(.skipped, .clock, "the server does not say what time it is", at: endpoint.description)
        }
        // The header has whole seconds; anywhere between asking and answering is right.
        let earliest = start.wall.milliseconds / 1_000 - 1
        let latest = end.wall.milliseconds / 1_000 + 1
        let skew = theirs < earliest ? earliest - theirs : theirs > latest ? latest - theirs : 0
        guard abs(skew) > Self.noticeableSkew else {
            return DoctorFinding(.ok, .clock, "the clock agrees with the server's", at: endpoint.description)
        }
        return DoctorFinding(
            abs(skew) >= ServerRule.freshness / 1_000 ? .problem : .warning,
            .clock,
            "this clock is \(abs(skew)) seconds \(skew > 0 ? "ahead of" : "behind") the server's",
            at: endpoint.description,
            why: skew > 0
                ? "events seem to come from the future"
                : "events seem older than they are; past 72 hours they are dropped",
            next: "set the clock, for instance by NTP"
        )
    }

    /// Seconds since 1970 of `Sat, 21 Nov 2026 08:31:49 GMT`; `nil` for anything else.
    static func seconds(ofHTTPDate text: String) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3])
        else { return nil }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0..<61).contains(clock[2])
        else {
            return nil
        }
        let civil = CivilTime(
            year: year,
            month: month + 1,
            day: day,
            hour: clock[0],
            minute: clock[1],
            second: clock[2]
        )
        return Timestamp(civil).milliseconds / 1_000
    }
}
#endif
