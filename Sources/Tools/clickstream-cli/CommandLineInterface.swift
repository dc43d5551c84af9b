import ArgumentParser
import ClickstreamCore
import Glibc

/// The command line. All commands use the library that apps link.
@main
struct CommandLineInterface: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clickstream-cli",
        abstract: "Replays, records and checks clickstream events with the SDK that apps link.",
        discussion: """
            Results go to standard output, everything else to standard error. Exit status: 0 done; 1 an expectation failed \
            or findings exist; 64 usage; 65 bad script or data; 66 input missing; 69 server unavailable, or command not in \
            this build; 73 cannot create; 74 I/O; 75 try again later, events kept; 77 permission; 78 configuration; \
            79 expectations not checked, or files not closed, before the end of a stop; 124 deadline; 126 and 127 the command after -- cannot be executed or is not found; 129, 130 and 143 after a \
            clean stop by SIGHUP, SIGINT and SIGTERM; 141 standard output was closed by its reader.
            """,
        version: SDK.version,
        subcommands: [
            ReplayCommand.self, CollectCommand.self, TailCommand.self, AssertCommand.self, ReportCommand.self,
            MCPCommand.self, GenerateCommand.self, RecordCommand.self, AuditCommand.self, FlushCommand.self,
            QueueCommand.self, ValidateCommand.self, PlanCommand.self, RulesCommand.self, ExplainCommand.self,
            DoctorCommand.self,
            BenchCommand.self,
        ]
    )

    @OptionGroup(title: "Output options")
    var output: OutputOptions

    static func main() async {
        occupyClosedStreams()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if let usageError = UsageError.unknownCommand(in: arguments) { throw usageError }
            var command = try parseAsRoot(arguments)
            if let usageError = UsageError.repeatedOption(in: arguments) { throw usageError }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Glibc.exit(report(error, of: arguments))
        }
    }

    /// Reports an error of a command, and returns the exit status.
    private static func report(_ error: any Error, of arguments: [String]) -> Int32 {
        switch error {
        case let code as ExitCode:
            return code.rawValue
        case let usageError as UsageError:
            return usageError.report()
        default:
            if let failure = CommandFailure(error) { return failure.report().rawValue }
        }
        let code = exitCode(for: error)
        guard code.isSuccess else {
            return code == .validationFailure
                ? UsageError(error, in: arguments).report()
                : CommandFailure(.inputOutput, message(for: error)).report().rawValue
        }
        // Help, the version, a completion script.
        do {
            try Console.print(fullMessage(for: error))
        } catch {
            return (error as? CommandFailure)?.report().rawValue ?? ExitStatus.inputOutput.rawValue
        }
        return code.rawValue
    }

    /// Occupies the descriptors of closed standard streams; otherwise the next opened file would receive such a
    /// number, and would be used for input or output. Each becomes a file that can be neither read nor written.
    private static func occupyClosedStreams() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
