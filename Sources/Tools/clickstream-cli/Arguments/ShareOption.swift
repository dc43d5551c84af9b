import ArgumentParser
import ClickstreamCore

/// A share such as `0.9` or `90%` on the command line.
struct ShareOption: ExpressibleByArgument, Sendable, Hashable {
    /// From 0 to 1.
    var share: Double
    /// The argument, for messages.
    var text: String

    init?(argument: String) {
        text = argument.withoutOuterWhiteSpace
        let isPercentage = text.hasSuffix("%")
        let number = isPercentage ? String(text.dropLast()).withoutOuterWhiteSpace : text
        // Read as one number: a quotient may be greater than the share of which it is the percentage.
        guard number.utf8.allSatisfy("0123456789.".utf8.contains),
            let value = Double(isPercentage ? "\(number)e-2" : number), value <= 1
        else {
            RefusedValue.refuse(argument, "needs a share from 0 to 1, or from 0% to 100%, such as 0.9 or 90%")
            return nil
        }
        share = value
    }
}
