import ClickstreamServer
import Hummingbird

/// Routes of the shop.
public func shopRouter(_ events: ServerEvents?) -> Router<BasicRequestContext> {
    let router = Router()
    if let events { router.add(middleware: AnalyticsMiddleware(events)) }
    router.get("/health") { _, _ in HTTPResponse.Status.ok }
    router.get("/") { _, _ in
        page("Shop", "<a href=/product/42>A product</a> \(form("/consent/granted", "Allow statistics"))")
    }
    router.get("/product/:id") { _, context in
        let id = try context.parameters.require("id", as: Int.self)
        return page("Product \(id)", form("/cart/\(id)", "Buy"))
    }
    router.post("/cart/:id") { _, context in
        let id = try context.parameters.require("id", as: Int.self)
        // The visitor of the request: the middleware has set it. Without permission nothing is recorded.
        events?.record("add_to_cart", ["price": 12.5, "currency": "EUR"], [["id": "\(id)", "price": 12.5]])
        return Response(status: .seeOther, headers: [.location: "/"])
    }
    router.post("/consent/:decision") { _, context in
        let isGranted = try context.parameters.require("decision") == "granted"
        var response = Response(status: .seeOther, headers: [.location: "/"])
        response.setCookie(RecordingPermission.cookie(isGranted: isGranted))
        return response
    }
    return router
}

/// The server with its services.
/// - Parameter events: recorder of page views; `nil` to serve without analytics.
public func shopApplication(_ events: ServerEvents?, port: Int) -> some ApplicationProtocol {
    var application = Application(
        router: shopRouter(events),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil)
    )
    application.logger.logLevel = .warning
    if let events { application.addServices(AnalyticsService(events)) }
    return application
}

private func form(_ action: String, _ label: String) -> String {
    "<form method=post action=\(action)><button>\(label)</button></form>"
}

private func page(_ title: String, _ body: String) -> Response {
    let text = "<!doctype html><html lang=en><title>\(title)</title><h1>\(title)</h1>\(body)"
    return Response(
        status: .ok,
        headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text))
    )
}
