/// Settings that apply to all instances of a class, by the name of the class.
public struct ClassRules: Sendable, Hashable {
    public var optBehavior: [String: OptBehavior]
    /// Classes whose values are replaced by `*`.
    public var masked: Set<String>

    public init(optBehavior: [String: OptBehavior] = [:], masked: Set<String> = []) {
        self.optBehavior = optBehavior
        self.masked = masked
    }
}
