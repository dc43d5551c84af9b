// The Swift blocks of the module's doc comments, compiled as printed.
import ClickstreamServer

#if Server
import Logging
import ServiceLifecycle
#endif

private func record(endpoint: String, cookie: String) throws {
    // snippet
    let events = try ServerEvents(ClickstreamConfiguration().withAppId("shop").withEndpoint(endpoint))
    events.record("add_to_cart", ["price": 12.5], for: Visitor(deviceID: cookie))
    // end
}

#if Server
private func serve(_ events: ServerEvents, _ server: any Service, logger: Logger) async throws {
    // snippet
    let group = ServiceGroup(services: [ServerEventsService(events, logger: logger), server], logger: logger)
    // end
    try await group.run()
}
#endif
