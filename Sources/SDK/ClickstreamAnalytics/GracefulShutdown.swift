import CClickstreamSystem
package import ClickstreamCore
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Graceful shutdown of the process's clients at `exit`, and optionally at SIGTERM or SIGINT.
///
/// At `exit` the end is recorded and stored, and nothing more is sent. A signal is handled on a separate thread, which
/// also sends queued events: new requests for one second, with another second for the last response; then the previous
/// signal handler runs, and the signal ends the process. At `exit` requests in flight are awaited for two seconds, so that
/// their events are not sent again. Other threads may record until the end of the process: the stores stay open, and the
/// recorded events survive.
package final class GracefulShutdown: Sendable {
    private static let instance = ProcessLocal(since: .reset) { GracefulShutdown() }
    /// The instance of this process.
    package static var process: GracefulShutdown { instance.current }

    /// The maximum duration in milliseconds for sending, or for requests in flight.
    package static let timeout: Int64 = 2_000

    private struct State: Sendable {
        var clients: [Covered] = []
        /// The process that registered with `exit`: a child of `fork` inherits the registration, but none of the
        /// clients.
        var owner: pid_t?
        var listens = false
    }

    private struct Covered: Sendable {
        weak let client: ClickstreamClient?
    }

    private let state = Locked(State())
    private let process = OwningProcess()

    private init() {}

    /// Shuts `client` down gracefully at the end of the process, as long as it exists.
    ///
    /// - Parameter signals: true to handle SIGTERM and SIGINT; once one client requests it, it applies to all.
    package func cover(_ client: ClickstreamClient, signals: Bool) {
        let isFirst = state.withLock { state in
            state.clients.removeAll { $0.client == nil }
            state.clients.append(Covered(client: client))
            defer { state.owner = getpid() }
            return state.owner == nil
        }
        if isFirst { atexit { GracefulShutdown.process.endAtExit() } }
        guard signals else { return }
        let listensAlready = state.withLock { state in
            defer { state.listens = true }
            return state.listens
        }
        if !listensAlready, let problem = listen() { client.note(.warning(.init(.signalsNotHandled, problem))) }
    }

    /// Registers with `exit` again, so that the clients end before libraries loaded since then: libcurl's TLS library.
    func coverAgain() {
        guard state.withLock({ $0.owner == getpid() }) else { return }
        atexit { GracefulShutdown.process.endAtExit() }
    }

    private var clients: [ClickstreamClient] {
        state.withLock { $0.clients.compactMap(\.client) }
    }

    /// Runs `body` on another thread and blocks for a second at most; runs it on the calling thread if no thread can be
    /// created.
    ///
    /// The calling thread may hold a lock that `body` needs, for example if a signal handler calls `exit`; or another
    /// thread may never release it. Recording less is better than blocking forever.
    private func doBounded(milliseconds: Int = 1_000, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let reason = DetachedThread.start {
            body()
            done.signal()
        }
        guard reason == 0 else { return body() }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// Shuts one client down gracefully, including its request in flight.
    package func end(_ client: ClickstreamClient) {
        if client.isDelivering {
            client.perform { $0.background(at: $1) }
            awaitRequests(of: [client])
        }
        client.terminate()
    }

    /// Blocks until requests in flight have ended, ``timeout`` at most. No new requests are made.
    private func awaitRequests(of clients: [ClickstreamClient]) {
        let delivering = clients.filter(\.isDelivering)
        guard !delivering.isEmpty else { return }
        wait(for: delivering, milliseconds: Self.timeout) { _ = await $0.endDelivery() }
    }

    private func endAtExit() {
        // In a child of `fork` a thread of the parent may have held the lock.
        let owner = process.isCurrent ? state.withLock { $0.owner } : state.withLockIfAvailable { $0.owner } ?? nil
        guard owner == getpid() else { return }
        let clients = clients
        guard !clients.isEmpty else { return }
        doBounded {
            Facade.countHeldEvents()
            for client in clients { client.settle() }
        }
        awaitRequests(of: clients)
    }

    /// Ends the session and sends queued events within ``timeout``, as at SIGTERM. For a handler of `exit` in a program
    /// that is not expected to start again soon.
    package func sendAtExit() {
        guard process.isCurrent, state.withLock({ $0.owner }) == getpid() else { return }
        endBySignal()
    }

    // MARK: Signals

    /// - Returns: the reason if signals cannot be handled.
    private func listen() -> String? {
        let problem = "SIGTERM and SIGINT end the process at once: "
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return problem + "no pipe (error \(errno))" }
        ends = ends.map { clickstream_above_standard($0) }
        guard ends.allSatisfy({ $0 >= 0 && fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
            let reason = errno
            for end in ends where end >= 0 { close(end) }
            return problem + "no pipe (error \(reason))"
        }
        let input = ends[0]
        let reason = DetachedThread.start { [self] in
            let number = clickstream_stop_wait(input)
            endBySignal()
            clickstream_stop_pass_on(number)
        }
        guard reason == 0 else {
            for end in ends { close(end) }
            return problem + "no thread (error \(reason))"
        }
        _ = clickstream_stop_listen(ends[1])
        return nil
    }

    /// Records the end of the app, sends queued events within the time limit, and stores everything.
    private func endBySignal() {
        let clients = clients
        doBounded {
            for client in clients { client.perform { $0.background(at: $1) } }
        }
        wait(for: clients, milliseconds: Self.timeout + 250) { await Self.sendLast(of: $0) }
        doBounded {
            for client in clients { client.settle() }
        }
    }

    /// Sends queued events. New requests are made for half of ``timeout``; the rest is for the response to the last one.
    private static func sendLast(of client: ClickstreamClient) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = await client.flush(deadline: .milliseconds(timeout))
                return true
            }
            group.addTask {
                // Cancelled once everything is sent.
                guard (try? await SystemTime().sleep(milliseconds: timeout / 2)) != nil else { return false }
                await client.endDelivery()
                return false
            }
            while let isSent = await group.next(), !isSent {}
            group.cancelAll()
        }
    }

    /// Runs `body` concurrently for each client and blocks until it ends, if a thread for it can be created.
    private func wait(
        for clients: [ClickstreamClient],
        milliseconds: Int64,
        _ body: @escaping @Sendable (ClickstreamClient) async -> Void
    ) {
        guard BackgroundTask.isPossible else { return }
        let done = DispatchSemaphore(value: 0)
        BackgroundTask.start {
            await withTaskGroup(of: Void.self) { group in
                for client in clients {
                    group.addTask { await body(client) }
                }
            }
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
    }
}
