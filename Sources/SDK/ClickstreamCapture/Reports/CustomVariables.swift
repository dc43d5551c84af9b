package import ClickstreamCore

/// Additional information about a screen: a name and a value at an index.
public struct CustomVariable: Sendable, Hashable {
    package var index: Int
    package var name: String
    package var value: String

    /// Creates a variable.
    /// - Parameters:
    ///   - index: the index, unique in the app.
    ///   - name: the name.
    ///   - value: the value.
    public init(index: Int, name: String, value: String) {
        self.index = index
        self.name = name
        self.value = value
    }
}

/// Custom variables of one screen: at most twenty, with unique indexes, in the given order.
package struct CustomVariables: Sendable, Hashable {
    /// Maximum number of variables of a screen.
    package static let limit = 20

    package private(set) var variables: [CustomVariable] = []
    /// One sentence for each dropped variable, without its value.
    package private(set) var warnings: [Notice.Warning] = []

    /// Keeps the first variable of each index, up to the limit.
    package init(_ all: [CustomVariable] = []) {
        for variable in all {
            if variables.contains(where: { $0.index == variable.index }) {
                warnings.append(Self.dropped(variable, "the index \(variable.index) is repeated"))
            } else if variables.count == Self.limit {
                warnings.append(Self.dropped(variable, "a screen has at most \(Self.limit)"))
            } else {
                variables.append(variable)
            }
        }
    }

    private static func dropped(_ variable: CustomVariable, _ reason: String) -> Notice.Warning {
        Notice.Warning(.inputIgnored, "The custom variable \(variable.name) is dropped: \(reason)")
    }
}
