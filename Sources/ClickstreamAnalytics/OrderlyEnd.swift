import CClickstreamProcess
import CClickstreamSignals
package import ClickstreamCore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends the clients of this process in order when the process ends: by `exit`, and, where asked for, by SIGTERM or SIGINT.
///
/// At `exit` the end is recorded and stored; nothing more is sent. A signal is answered on a thread of its own, which sends,
/// too, for two seconds at most; then the earlier handler of the signal runs, and the process dies of it. Requests that are on
/// their way are awaited for the same two seconds: cut off, their events would be sent again. Other threads may record until
/// the process is gone: the stores stay open, and what they recorded survives.
package final class OrderlyEnd: Sendable {
    /// There is one end of a process.
    package static let process = OrderlyEnd()

    /// Milliseconds for which the end may send, or wait for requests that are on their way.
    package static let patience: Int64 = 2_000

    private struct State: Sendable {
        var clients: [Covered] = []
        /// Who registered with `exit`: a child of `fork` has the registration, but none of the clients.
        var owner: pid_t?
        var listens = false
    }

    private struct Covered: Sendable {
        weak let client: ClickstreamClient?
    }

    private let state = Locked(State())
    private let process = OwningProcess()

    private init() {}

    /// Sees to the end of `client` from now on, for as long as somebody holds it.
    ///
    /// - Parameter signals: whether SIGTERM and SIGINT are to be answered; once a client asked, they are for all.
    package func cover(_ client: ClickstreamClient, signals: Bool) {
        let isFirst = state.withLock { state in
            state.clients.removeAll { $0.client == nil }
            state.clients.append(Covered(client: client))
            defer { state.owner = getpid() }
            return state.owner == nil
        }
        if isFirst { atexit { OrderlyEnd.process.endAtExit() } }
        guard signals else { return }
        let listensAlready = state.withLock { state in
            defer { state.listens = true }
            return state.listens
        }
        if !listensAlready, let problem = listen() { client.note(.warning(problem)) }
    }

    /// Registers with `exit` once more, so that the clients end before what has registered since: libcurl's TLS library.
    func coverAgain() {
        guard state.withLock({ $0.owner == getpid() }) else { return }
        atexit { OrderlyEnd.process.endAtExit() }
    }

    private var clients: [ClickstreamClient] {
        state.withLock { $0.clients.compactMap(\.client) }
    }

    /// Runs `body` on another thread and waits for it, a second at most; on this one if the system gives no thread.
    ///
    /// This thread may hold what `body` needs, as one does whose handler of a signal calls `exit`; or the lock is held by a
    /// thread that never leaves it. An end that waits for ever is worse than one that records less.
    private func doBounded(milliseconds: Int = 1_000, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let reason = DetachedThread.start {
            body()
            done.signal()
        }
        guard reason == 0 else { return body() }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    /// Ends one client in order, with the request that is on its way.
    func end(_ client: ClickstreamClient) {
        if client.isDelivering {
            client.perform { $0.background(at: $1) }
            awaitRequests(of: [client])
        }
        client.terminate()
    }

    /// Blocks until the requests that are on their way have ended, ``patience`` at most. No others are made.
    private func awaitRequests(of clients: [ClickstreamClient]) {
        let delivering = clients.filter(\.isDelivering)
        guard !delivering.isEmpty else { return }
        wait(for: delivering, milliseconds: Self.patience) { _ = await $0.endDelivery() }
    }

    private func endAtExit() {
        // In a child of `fork` a thread of the parent may hold the lock for ever.
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

    // MARK: Signals

    /// - Returns: why signals cannot be listened to.
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

    /// What the end means is recorded, what is queued is sent as far as time allows, and everything stored.
    private func endBySignal() {
        let clients = clients
        doBounded {
            for client in clients { client.perform { $0.background(at: $1) } }
        }
        wait(for: clients, milliseconds: Self.patience + 250) { _ = await $0.flush(deadline: Self.patience) }
        doBounded {
            for client in clients { client.settle() }
        }
    }

    /// Does `body` for each client at the same time, and waits for that. A task waits for a thread, and ends the process where
    /// its first use finds no descriptor: it is begun on a thread of its own, if there is one.
    private func wait(
        for clients: [ClickstreamClient],
        milliseconds: Int64,
        _ body: @escaping @Sendable (ClickstreamClient) async -> Void
    ) {
        guard TaskStart.isPossible else { return }
        let done = DispatchSemaphore(value: 0)
        let reason = DetachedThread.start {
            Task {
                await withTaskGroup(of: Void.self) { group in
                    for client in clients {
                        group.addTask { await body(client) }
                    }
                }
                done.signal()
            }
        }
        guard reason == 0 else { return }
        _ = done.wait(timeout: .now() + .milliseconds(Int(milliseconds)))
    }
}
