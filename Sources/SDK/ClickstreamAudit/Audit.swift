#if Audit
/// Namespace of the types whose plain names other modules may have too: the ``Audit/Events`` of an app, and the
/// ``Audit/Scope`` in which reads and writes are recorded.
public enum Audit: Sendable {}
#endif
