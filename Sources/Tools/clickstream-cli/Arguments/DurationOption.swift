import ArgumentParser
import ClickstreamCore
import ClickstreamDocuments

/// A duration such as `30s` or `1m30s` on the command line.
struct DurationOption: ExpressibleByArgument, Sendable, Hashable {
    var milliseconds: Int64

    init?(argument: String) {
        do {
            milliseconds = try DurationText.milliseconds(argument.withoutOuterWhiteSpace)
        } catch {
            RefusedValue.refuse(argument, error.clause)
            return nil
        }
    }
}

extension DurationText.ParseError {
    /// The mistake as a clause after the name of an option.
    var clause: String {
        switch self {
        case .noUnit(let number): "needs a unit, such as \(number)s or \(number)m"
        case .unknownUnit(let unit):
            "has the unknown unit '\(Console.escaped(unit))'; use ms, s, m, h or d, such as 5s or 1h30m"
        case .empty, .noNumber: "needs a duration, such as 250ms, 5s or 1h30m"
        case .finerThanMilliseconds: "must be a whole number of milliseconds"
        case .tooLong: "must be at most 36500d"
        }
    }
}
