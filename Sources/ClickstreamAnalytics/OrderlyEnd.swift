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
/// At `exit` what the end means is recorded and stored; nothing is sent. A signal is answered on a thread of its own, that
/// sends too, for two seconds at most; then the earlier handler of the signal runs, and the process dies of it. Other threads
/// may record until the process is gone: the stores stay open, and what they recorded survives.
package final class OrderlyEnd: Sendable {
    /// There is one end of a process.
    package static let process = OrderlyEnd()

    /// For how many milliseconds the end may send.
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
        send(clients)
        doBounded {
            for client in clients { client.settle() }
        }
    }

    /// Flushes, for ``patience`` at most. A task waits for a thread, and ends the process where its first use finds no
    /// descriptor: it is begun on a thread of its own, if there is one.
    private func send(_ clients: [ClickstreamClient]) {
        guard TaskStart.isPossible else { return }
        let done = DispatchSemaphore(value: 0)
        let reason = DetachedThread.start {
            Task {
                await withTaskGroup(of: Void.self) { group in
                    for client in clients {
                        group.addTask { _ = await client.flush(deadline: Self.patience) }
                    }
                }
                done.signal()
            }
        }
        guard reason == 0 else { return }
        _ = done.wait(timeout: .now() + .milliseconds(Int(Self.patience) + 250))
    }
}
