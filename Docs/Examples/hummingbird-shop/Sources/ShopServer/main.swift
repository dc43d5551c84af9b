import ClickstreamServer
import Shop

// Usage: ShopServer [PORT] [--without-analytics]. The endpoint is read from CLICKSTREAM_ENDPOINT.
let arguments = CommandLine.arguments.dropFirst()
let port = arguments.compactMap { Int($0) }.first ?? 8_080
var events: ServerEvents?
if !arguments.contains("--without-analytics") {
    events = try ServerEvents(ClickstreamConfiguration().withAppId("shop"), sessions: SessionTable())
}
try await shopApplication(events, port: port).runService()
