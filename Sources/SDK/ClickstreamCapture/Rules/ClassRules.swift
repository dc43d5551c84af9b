/// Settings that apply to all instances of a class, by the name of the class.
public struct ClassRules: Sendable, Hashable {
    package var optBehavior: [String: OptBehavior]
    package var masked: Set<String>

    /// Creates rules.
    /// - Parameters:
    ///   - optBehavior: the decision whether instances of a class generate auto events.
    ///   - masked: classes whose values are replaced by `*`.
    public init(optBehavior: [String: OptBehavior] = [:], masked: Set<String> = []) {
        self.optBehavior = optBehavior
        self.masked = masked
    }
}
