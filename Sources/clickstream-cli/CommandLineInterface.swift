#if Tools
import ArgumentParser
import ClickstreamCore
import Glibc

/// The command line: drives the library that an app links, and nothing that imitates it.
@main
struct CommandLineInterface: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clickstream-cli",
        abstract: "Replays, records and checks clickstream events with the real library.",
        discussion: """
            Results go to standard output, everything else to standard error. Exit status: 0 done; 1 an expectation failed \
            or findings exist; 64 usage; 65 bad script or data; 66 input missing; 69 server unavailable; 73 cannot create; \
            74 I/O; 75 try again later, events kept; 77 permission; 78 configuration; 124 deadline; 129, 130 and 143 \
            after a clean stop on SIGHUP, SIGINT and SIGTERM; 141 when nobody reads standard output any more.
            """,
        version: SDK.version,
        subcommands: [
            ReplayCommand.self, CollectCommand.self, TailCommand.self, AssertCommand.self, GenerateCommand.self,
            RecordCommand.self,
            FlushCommand.self,
            QueueCommand.self, ValidateCommand.self, RulesCommand.self, ExplainCommand.self, DoctorCommand.self,
            BenchCommand.self,
        ]
    )

    static func main() async {
        occupyClosedStreams()
        await main(nil)
    }

    /// Where standard input, output or error is closed, the next file that is opened would get its number, and what is
    /// read or printed would go there. So something stands in each place that can neither be read nor be written.
    private static func occupyClosedStreams() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
#else
/// Without the trait `Tools` there is no command line: this says how to get one.
@main
struct CommandLineInterface {
    static func main() {
        print("clickstream-cli was built without the trait Tools. Build it with: swift build --traits Tools")
    }
}
#endif
