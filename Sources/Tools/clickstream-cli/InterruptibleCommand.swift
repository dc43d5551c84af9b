import ArgumentParser

/// A command that signals stop: ``execute()`` is cancelled, cleans up, and the exit status names the signal.
protocol InterruptibleCommand: AsyncParsableCommand, Sendable {
    /// Runs the command and returns its exit status. Failures are reported by the caller.
    func execute() async throws -> ExitStatus
}

extension InterruptibleCommand {
    func run() async throws {
        try await StopSignal.command { try await execute() }
    }
}
