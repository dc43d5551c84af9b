import CClickstreamSystem

/// Attributes of a scope: added to each event that the app records in it.
package enum ScopedAttributes {
    /// The attributes of the current task, those of outer scopes included; `nil` outside any scope.
    @TaskLocal package static var current: Attributes?

    /// The attributes of a scope with `attributes` within the current one: the inner value of a name is used.
    package static func nested(_ attributes: Attributes) -> Attributes {
        RecordingExtensions.use()
        guard var all = current else { return attributes }
        all.merge(attributes)
        return all
    }
}

/// Switch that keeps middleware and scoped attributes off the path of events in processes that never use them.
package enum RecordingExtensions {
    /// False until the first use in this process. Costs one load.
    @inline(__always)
    package static var areUsed: Bool { clickstream_is_extended() != 0 }

    package static func use() { clickstream_extend() }
}
