#if Server
import ClickstreamLogging
import Logging

// Code of the documentation of ClickstreamLogging; see DocumentationTests.

enum LoggingSnippets {
    /// Compiled only: the logging system can be set up once in a process.
    static func bootstrap() {
        // snippet
        LoggingSystem.bootstrap { label in
            MultiplexLogHandler([StreamLogHandler.standardError(label: label), ClickstreamLogHandler(label: label)])
        }
        // end
    }
}
#endif
