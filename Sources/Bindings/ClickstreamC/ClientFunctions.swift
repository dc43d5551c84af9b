#if compiler(>=6.3)
package import CClickstream
import ClickstreamAnalytics
import ClickstreamCore
import Dispatch

@c @implementation
package func clickstream_default_client() -> OpaquePointer! { Handle.defaultClient.pointer }

@c @implementation
package func clickstream_reset_after_fork() -> clickstream_status {
    ClickstreamAnalytics.resetAfterFork()
    return CLICKSTREAM_OK
}

/// Runs the start of a client. Writes the description of its failure, of whatever kind, to `message`.
private func start(
    _ configuration: OpaquePointer?,
    _ message: UnsafeMutablePointer<CChar>?,
    _ capacity: Int,
    _ body: (ClickstreamConfiguration) throws -> Void
) -> clickstream_status {
    guard capacity >= 0, message != nil || capacity == 0 else {
        return Handles.areOurs ? CLICKSTREAM_INVALID_ARGUMENT : CLICKSTREAM_CHILD_PROCESS
    }
    let buffer = UnsafeMutableRawBufferPointer(start: message, count: capacity)
    var description: String?
    let result = status { () throws(Refusal) in
        let settings = configuration == nil ? Settings() : try Handles.configurations.value(configuration)
        do {
            try body(settings.code)
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            description = "\(error)"
            throw Refusal(clickstream_status(ofStart: error))
        }
    }
    let text = result == CLICKSTREAM_OK ? "" : description ?? String(cString: clickstream_status_text(result))
    write(text, cutTo: buffer)
    return result
}

@c @implementation
package func clickstream_start(
    _ configuration: OpaquePointer!,
    _ message: UnsafeMutablePointer<CChar>!,
    _ capacity: Int
) -> clickstream_status {
    start(configuration, message, capacity) { try ClickstreamAnalytics.initSDK($0) }
}

@c @implementation
package func clickstream_open(
    _ configuration: OpaquePointer!,
    _ client: UnsafeMutablePointer<OpaquePointer?>!,
    _ message: UnsafeMutablePointer<CChar>!,
    _ capacity: Int
) -> clickstream_status {
    start(configuration, message, capacity) { code in
        let target = try required(client)
        let opened = try ClickstreamClient(Host(code), observe: nil)
        do throws(Refusal) {
            try Handles.clients.insert(opened, into: target)
        } catch {
            opened.terminate()
            throw error
        }
    }
}

@c @implementation
package func clickstream_close(
    _ client: OpaquePointer!,
    _ deadline: Int64,
    _ report: UnsafeMutablePointer<clickstream_report>!
) -> clickstream_status {
    status { () throws(Refusal) in
        guard deadline >= 0 else { throw Refusal(CLICKSTREAM_INVALID_ARGUMENT) }
        try BlockingFunction.checkThread()
        let reference = try ClientReference(client)
        let running = try reference.running
        if case .further = reference { _ = try Handles.clients.release(client) }
        var sent = FlushReport()
        if deadline > 0 {
            running.background()
            // The client ends in any case.
            do throws(Refusal) {
                sent = try BlockingFunction.result { await running.flush(deadline: .milliseconds(deadline)) }
            } catch {
                sent.lastError = .interrupted
            }
        }
        switch reference {
        case .process: ClickstreamAnalytics.shutdown()
        case .further:
            ClosedClients.add(running, of: try required(Handle(client)))
            GracefulShutdown.process.end(running)
        }
        let handle = try required(Handle(client))
        let deadline = DispatchTime.callbackDeadline
        ObserverRegistration.clientHasEnded(handle, by: deadline)
        Middlewares.clientHasEnded(handle, by: deadline)
        report?.pointee = clickstream_report(sent)
    }
}

@c @implementation
package func clickstream_foreground(_ client: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.foreground()
        case .further(let client): client.foreground()
        }
    }
}

@c @implementation
package func clickstream_background(_ client: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.background()
        case .further(let client): client.background()
        }
    }
}

@c @implementation
package func clickstream_disable(_ client: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.disable()
        case .further(let client): client.disable()
        }
    }
}

@c @implementation
package func clickstream_enable(_ client: OpaquePointer!) -> clickstream_status {
    status { () throws(Refusal) in
        switch try ClientReference(client) {
        case .process: ClickstreamAnalytics.enable()
        case .further(let client): client.enable()
        }
    }
}

@c @implementation
package func clickstream_is_enabled(
    _ client: OpaquePointer!,
    _ enabled: UnsafeMutablePointer<Bool>!
) -> clickstream_status {
    status { () throws(Refusal) in
        let target = try required(enabled)
        target.pointee = try ClientReference(client).running.isEnabled
    }
}
#endif
