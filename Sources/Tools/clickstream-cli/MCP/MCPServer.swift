import ClickstreamCore
import ClickstreamJudges
import Foundation

/// Server of one client: performs the actions of a ``MCPSession``. Calls run concurrently. All functions are thread-safe.
final class MCPServer: Sendable {
    private struct State: Sendable {
        var session: MCPSession
        /// Running calls by number, those that are cancelled too.
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state: Locked<State>
    private let context: MCPContext
    /// Writes a line without its line feed, and does not block. Called by several threads.
    private let write: @Sendable ([UInt8]) -> Void

    init(
        tools: [MCPTool] = MCPTools.all,
        context: MCPContext,
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        state = Locked(State(session: MCPSession(tools: tools)))
        self.context = context
        self.write = write
    }

    /// Serves the client at standard input and output until the end of the input.
    /// - Throws: `CancellationError` when the task is cancelled; ``CommandFailure`` for a stream that cannot be read or written.
    static func serve(context: MCPContext) async throws {
        let (ends, end) = AsyncThrowingStream<Never, any Error>.makeStream()
        let output = MCPOutput(.standard) { end.finish(throwing: $0) }
        let server = MCPServer(context: context) { output.write($0) }
        // Reading blocks: on one processor it would occupy the only thread of the tasks. The process does not wait for the thread.
        Thread.detachNewThread {
            do {
                let input = try LineReader("-", maxLineBytes: MCPSession.longestLine)
                while let line = try input.next() {
                    server.receive(line.bytes)
                    // Messages of a client that does not read the responses stay in its pipe, not in memory.
                    output.wait()
                }
                end.finish()
            } catch {
                end.finish(throwing: error)
            }
        }
        do {
            for try await _ in ends {}
            try Task.checkCancellation()
        } catch {
            server.cancel()
            throw error
        }
        await server.endInput()
        try await output.drain()
    }

    /// - Parameter line: a line without its line feed; `nil` for one that was too long, and skipped.
    func receive(_ line: [UInt8]?) {
        perform { $0.receive(line) }
    }

    /// Cancels the calls that wait for events, and waits for the others.
    func endInput() async {
        perform { $0.endInput() }
        let tasks = state.withLock { Array($0.tasks.values) }
        await withTaskCancellationHandler {
            for task in tasks { await task.value }
        } onCancel: {
            cancel()
        }
    }

    /// Cancels all calls.
    private func cancel() {
        let tasks = state.withLock { Array($0.tasks.values) }
        for task in tasks { task.cancel() }
    }

    private func perform(_ message: (inout MCPSession) -> [MCPSession.Action]) {
        let lines: [[UInt8]] = state.withLock { state in
            var lines: [[UInt8]] = []
            for action in message(&state.session) {
                switch action {
                case .send(let line): lines.append(line)
                case .start(let call): state.tasks[call.number] = Task { await self.run(call) }
                case .cancel(let number): state.tasks[number]?.cancel()
                }
            }
            return lines
        }
        for line in lines { write(line) }
    }

    private func run(_ call: MCPSession.Call) async {
        let result = await result(of: call)
        let line = state.withLock { state in
            state.tasks[call.number] = nil
            return state.session.end(call.number, result)
        }
        if let line { write(line) }
    }

    /// Result of `tools/call`; `nil` for a cancelled call.
    private func result(of call: MCPSession.Call) async -> [UInt8]? {
        do {
            let now = context.time.now().wall
            let arguments = try MCPArguments(call.arguments, for: call.tool.parameters, now: now)
            let context = context.reporting { [self] progress in
                let line = state.withLock { $0.session.progress(progress, of: call.number) }
                if let line { write(line) }
            }
            return MCPResult.success(try await call.tool.call(arguments, context))
        } catch is CancellationError {
            return nil
        } catch let failure as MCPFailure {
            return MCPResult.failure(failure)
        } catch {
            return MCPResult.failure(CommandFailure(error).map { MCPFailure($0) } ?? MCPFailure(.failed, "\(error)"))
        }
    }
}
