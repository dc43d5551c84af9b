import ClickstreamAnalytics
import ClickstreamCore
import ClickstreamJudges
import Foundation

/// Checks of the server: reachability, access of this app, and time. Sends nothing that the server would store: only
/// `/ping`, and the header of a request that is too long.
struct EndpointCheck: Sendable {
    private let configuration: ClickstreamClient.Configuration

    /// Clock difference in seconds that is reported: sessions of several devices would be out of order.
    private static let noticeableSkew: Int64 = 60
    /// A length that every server rejects; the published server's limit is 1 MiB.
    private static let announcedBytes = 64 * 1_048_576

    init(_ configuration: ClickstreamClient.Configuration) {
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
                    next: "set it in amplifyconfiguration.json, in CLICKSTREAM_ENDPOINT, or with --endpoint"
                )
            ]
        }
        // The check of the configuration reports the error.
        guard let endpoint = try? Endpoint(configuration.endpoint) else { return [] }
        var findings = transportFindings(endpoint)
        let isProxied = !ProxySettings().http.isEmpty
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
                "the connection to \(endpoint.authority) is not encrypted",
                at: endpoint.description,
                why: "anyone on the network path can read the events"
                    + (configuration.authCookie == nil ? "" : " and the cookie"),
                next: "use https"
            )
        ]
    }

    // MARK: - Requests

    /// `/ping` of the same server, with the app id: the published load balancer requires it.
    private var pingTarget: String {
        "/ping?" + EventQuery.query([("appId", configuration.appID)])
    }

    private var cookie: [(String, String)] {
        configuration.authCookie.map { [("cookie", $0)] } ?? []
    }

    private func plainFindings(_ endpoint: Endpoint) async -> [DoctorFinding] {
        let address = CollectorAddress(endpoint)
        let start = SystemDependencies.time.now()
        var answer: UploadResponse?
        do {
            try await CollectorConnection.send(pingTarget, headers: cookie, of: address, silence: 15_000) { head, _ in
                answer = head
                return false
            }
        } catch {
            return [unreachable(endpoint, (error as? CollectorConnection.Failure)?.reason ?? "\(error)")]
        }
        guard let answer else { return [unreachable(endpoint, "no answer")] }
        var findings = pingFindings(endpoint, answer, start, SystemDependencies.time.now())
        // A ping that is refused, or did not reach the server, is the first problem to solve.
        if ![401, 403].contains(answer.status), !answer.isWebPage {
            findings += await admissionFindings(endpoint, address)
        }
        return findings
    }

    /// Over https, or through a proxy, the request uses the transport of an app, with the same certificates and
    /// limits.
    private func findingsOnTheWay(_ endpoint: Endpoint) async -> [DoctorFinding] {
        let start = SystemDependencies.time.now()
        var question = UploadRequest(
            url: "\(endpoint.scheme.rawValue)://\(endpoint.authority)\(pingTarget)",
            headers: cookie.map { UploadRequest.Header(name: $0.0, value: $0.1) },
            body: []
        )
        question.method = .get
        do {
            let answer = try await LinuxTransport().send(question)
            return pingFindings(endpoint, answer, start, SystemDependencies.time.now()) + [
                DoctorFinding(
                    .skipped,
                    .endpoint,
                    "cannot check "
                        + (endpoint.scheme == .http ? "through a proxy" : "over https")
                        + " that the path accepts events without sending one"
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
            "\(endpoint.authority) does not respond: \(reason)",
            at: endpoint.description,
            why: "events are kept until it does",
            next: "check the address, the network, the proxy and the certificate; curl -v \(endpoint) shows details"
        )
    }

    // MARK: - Responses

    private func pingFindings(
        _ endpoint: Endpoint,
        _ answer: UploadResponse,
        _ start: Moment,
        _ end: Moment
    ) -> [DoctorFinding] {
        let status = answer.status
        var findings: [DoctorFinding] = []
        switch status {
        case 200..<300 where answer.isWebPage:
            findings.append(webPage(endpoint, "\(endpoint.authority) responds to /ping", status))
        case 200..<300:
            findings.append(
                DoctorFinding(
                    .ok,
                    .endpoint,
                    "\(endpoint.authority) responds in \(end.steady - start.steady) ms",
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
                    next: "set the endpoint to the target of the redirect, often the https address"
                )
            )
        default:
            findings.append(
                DoctorFinding(
                    .warning,
                    .endpoint,
                    "\(endpoint.authority) responds to /ping with status \(status)",
                    at: endpoint.description,
                    why: "an ingestion server responds with 200",
                    next: "check that this is an ingestion server and that it is healthy"
                )
            )
        }
        findings.append(clockFinding(endpoint, answer.date, start, end))
        return findings
    }

    private func webPage(_ endpoint: Endpoint, _ subject: String, _ status: Int) -> DoctorFinding {
        DoctorFinding(
            .problem,
            .endpoint,
            "\(subject) with a web page (\(status), text/html)",
            at: endpoint.description,
            why: "a captive portal, a proxy or a website responds, not an ingestion server: events are kept",
            next: "log in to the network, check the proxy, or correct the endpoint"
        )
    }

    private func refusal(_ endpoint: Endpoint, _ status: Int) -> DoctorFinding {
        status == 401
            ? DoctorFinding(
                .problem,
                .endpoint,
                "\(endpoint.authority) requires authentication (401)",
                at: endpoint.description,
                why: "events are kept",
                next: configuration.authCookie == nil
                    ? "set authCookie" : "the authCookie is wrong or has expired: set a new one"
            )
            : DoctorFinding(
                .problem,
                .endpoint,
                "\(endpoint.authority) rejects the path \(endpoint.path) or the app id \(configuration.appID) (403)",
                at: endpoint.description,
                why: "events are kept",
                next: "compare both with the server's configuration"
            )
    }

    /// Announces a body that is too long for any server, and sends none: the server's earlier checks respond.
    private func admissionFindings(_ endpoint: Endpoint, _ address: CollectorAddress) async -> [DoctorFinding] {
        let target = endpoint.target(
            adding: EventQuery.query([("platform", "doctor"), ("appId", configuration.appID)])
        )
        var answer = UploadResponse(status: 0)
        do {
            try await CollectorConnection.send(
                target,
                headers: cookie,
                announcing: Self.announcedBytes,
                of: address,
                silence: 5_000
            ) { head, _ in
                answer = head
                return false
            }
        } catch {
            answer.status = 0
        }
        let status = answer.status
        switch status {
        case 200..<300 where answer.isWebPage:
            return [webPage(endpoint, "\(endpoint.path) responds", status)]
        case 413, 100:
            return [
                DoctorFinding(
                    .ok,
                    .endpoint,
                    "\(endpoint.path) accepts events of \(configuration.appID)"
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
                    "\(endpoint.path) does not accept events (\(status))",
                    at: endpoint.description,
                    why: "events are kept",
                    next: "check the path; the usual one is /collect"
                )
            ]
        default:
            return [
                DoctorFinding(
                    .skipped,
                    .endpoint,
                    "cannot check that \(endpoint.path) accepts events of \(configuration.appID) without sending one"
                        + (status == 0 ? "" : " (\(status))"),
                    at: endpoint.description
                )
            ]
        }
    }

    // MARK: - The clock

    private func clockFinding(_ endpoint: Endpoint, _ date: String?, _ start: Moment, _ end: Moment) -> DoctorFinding {
        guard let date, let theirs = Timestamp(httpDate: date, now: start.wall).map({ $0.milliseconds / 1_000 }) else {
            return DoctorFinding(
                .skipped,
                .clock,
                "the server's response has no Date header; the clocks cannot be compared",
                at: endpoint.description
            )
        }
        // The header has whole seconds; any time between request and response is correct.
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
                ? "events appear to be in the future"
                : "events appear older than they are; the server drops those older than 72 hours",
            next: "set the clock, for instance by NTP"
        )
    }
}
