import ClickstreamServer
import HTTPTypes
import Hummingbird
import HummingbirdCore

/// Middleware that records page views and sets ``ServerEvents/visitor`` for the handlers of a request.
///
/// A request without permission (``RecordingPermission``) and a request to an ignored path are passed on unchanged: no
/// event, no cookie. Nothing of a request is recorded but its route, status, referring host, language and user agent.
public struct AnalyticsMiddleware<Context: RequestContext>: RouterMiddleware {
    private let events: ServerEvents
    private let ignoredPaths: Set<String>

    /// - Parameters:
    ///   - events: the recorder of the process.
    ///   - ignoredPaths: paths of health checks, metrics and other requests of machines.
    public init(
        _ events: ServerEvents,
        ignoring ignoredPaths: Set<String> = ["/health", "/metrics", "/favicon.ico", "/robots.txt"]
    ) {
        self.events = events
        self.ignoredPaths = ignoredPaths
    }

    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if ignoredPaths.contains(request.uri.path) { return try await next(request, context) }
        let agent = request.headers[.userAgent]
        if let bot = Bot(userAgent: agent) {
            let response = try await next(request, context)
            recordView(request, response, context, of: bot.visitor(userAgent: agent), ["bot": bot.name])
            return response
        }
        guard RecordingPermission(request) == .granted else {
            var response = try await next(request, context)
            // A visitor who withdraws consent is no longer recognized.
            if request.cookies[VisitorCookie.name] != nil { response.setCookie(VisitorCookie.removal) }
            return response
        }
        let known = VisitorCookie.id(in: request)
        let id = known ?? VisitorCookie.newID()
        let visitor = Visitor(
            deviceID: id,
            screen: Visitor.Screen(name: request.uri.path),
            locale: request.preferredLocale,
            platform: "Web",
            userAgent: agent
        )
        var response = try await ServerEvents.withVisitor(visitor) { try await next(request, context) }
        recordView(request, response, context, of: visitor)
        if known == nil { response.setCookie(VisitorCookie.cookie(id)) }
        return response
    }

    /// Records a page view for a successful GET. The route, such as `/product/{id}`, groups the pages in reports.
    private func recordView(
        _ request: Request,
        _ response: Response,
        _ context: Context,
        of visitor: Visitor,
        _ more: Attributes = Attributes()
    ) {
        guard request.method == .get, response.status.kind == .successful else { return }
        var attributes = more
        attributes["route"] = context.endpointPath ?? request.uri.path
        attributes["status"] = Int(response.status.code)
        if let host = request.referringHost { attributes["referrer"] = host }
        events.record("page_view", attributes, for: visitor)
    }
}

extension Request {
    /// Host of the page that links here; `nil` for one of this site.
    var referringHost: String? {
        guard let referrer = headers[.referer], let host = URI(referrer).host else { return nil }
        return host == head.authority.map { String($0.prefix { $0 != ":" }) } ? nil : host
    }

    /// The first language of `Accept-Language` as a locale, such as `de_DE`.
    var preferredLocale: String? {
        let first = headers[.acceptLanguage]?.split(whereSeparator: { ",;".contains($0) }).first
        guard let first, first != "*" else { return nil }
        return String(first.filter { $0 != " " }).replacing("-", with: "_")
    }
}
