/// Settings that apply to all instances of a class, by the name of the class.
package struct ClassRules: Sendable, Equatable {
    package var optBehavior: [String: OptBehavior]
    /// Classes whose values are replaced by `*`.
    package var masked: Set<String>

    package init(optBehavior: [String: OptBehavior] = [:], masked: Set<String> = []) {
        self.optBehavior = optBehavior
        self.masked = masked
    }
}
