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
/// sends too, for two seconds at most; then whoever handled the signal before has it, and the process dies of it.
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

    /// Lets another thread do `body` and waits for it, a second at most.
    ///
    /// This thread may hold what `body` needs, as one does whose handler of a signal calls `exit`; or the lock is held by a
    /// thread that never leaves it. An end that waits for ever is worse than one that records less.
    private func doBounded(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 524_288
        thread.start()
        _ = done.wait(timeout: .now() + .seconds(1))
    }

    private func endAtExit() {
        let isOurs = state.withLock { $0.owner == getpid() }
        let clients = clients
        guard isOurs, !clients.isEmpty else { return }
        doBounded {
            for client in clients { client.terminate() }
        }
    }

    // MARK: Signals

    /// - Returns: why signals cannot be listened to.
    private func listen() -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return "SIGTERM and SIGINT end the process at once: no pipe (error \(errno))" }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let input = ends[0]
        let thread = Thread { [self] in
            let number = clickstream_stop_wait(input)
            endBySignal()
            clickstream_stop_pass_on(number)
        }
        thread.name = "clickstream-end"
        thread.stackSize = 524_288
        thread.start()
        _ = clickstream_stop_listen(ends[1])
        return nil
    }

    /// What the end means is recorded, what is queued is sent as far as time allows, and everything stored.
    private func endBySignal() {
        let clients = clients
        doBounded {
            for client in clients { client.perform { $0.background(at: $1) } }
        }
        let done = DispatchSemaphore(value: 0)
        Task {
            await withTaskGroup(of: Void.self) { group in
                for client in clients {
                    group.addTask { _ = await client.flush(deadline: Self.patience) }
                }
            }
            done.signal()
        }
        _ = done.wait(timeout: .now() + .milliseconds(Int(Self.patience) + 250))
        doBounded {
            for client in clients { client.terminate() }
        }
    }
}
