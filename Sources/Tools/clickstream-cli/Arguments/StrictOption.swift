import ArgumentParser
import ClickstreamCore

/// The option `--strict` of commands that check events.
struct StrictOption: ParsableArguments {
    @Flag(name: .customLong("strict"), help: "Count warnings as errors.")
    var isOn = false

    /// True if a finding of this severity makes the command fail.
    func isError(_ severity: Violation.Severity) -> Bool { isOn || severity == .error }
}
