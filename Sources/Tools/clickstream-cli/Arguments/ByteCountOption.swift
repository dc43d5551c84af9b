import ArgumentParser
import ClickstreamCore

/// A size such as `500MB`, `2GiB` or a plain number of bytes on the command line.
struct ByteCountOption: ExpressibleByArgument, Sendable, Hashable {
    var bytes: Int

    private static let units: [(name: String, bytes: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("b", 1), ("", 1),
    ]

    init?(argument: String) {
        let text = argument.withoutOuterWhiteSpace.lowercased()
        guard let unit = Self.units.first(where: { text.hasSuffix($0.name) }),
            let number = Int(text.dropLast(unit.name.count)), number > 0
        else {
            RefusedValue.refuse(argument, "needs a size from 1 byte, such as 500MB or 2GiB")
            return nil
        }
        let (bytes, isPast) = number.multipliedReportingOverflow(by: unit.bytes)
        if isPast {
            RefusedValue.refuse(argument, "is larger than any store; use a size such as 500MB or 2GiB")
            return nil
        }
        self.bytes = bytes
    }
}
