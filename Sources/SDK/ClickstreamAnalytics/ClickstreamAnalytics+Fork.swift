import CClickstreamSystem
import ClickstreamCore

extension ClickstreamAnalytics {
    /// Makes the SDK as new in a child of `fork`, which otherwise refuses all calls once its parent has used the SDK.
    ///
    /// The child has no client then; ``initSDK(_:)`` starts one, in the parent's store or another. What the parent
    /// recorded stays the parent's: its clients, its held calls and its registrations are not used in the child, whose
    /// `ClickstreamClient` values from before the fork still refuse all calls. To be called in the child before other
    /// calls, while it has one thread; without effect in a process that is no child, and a second time. A fork of the
    /// child needs a call of its own.
    ///
    /// Source: no counterpart in the published SDK, whose platforms have no `fork`.
    public static func resetAfterFork() {
        guard OwningProcess.forks != OwningProcess.resets else { return }
        clickstream_crash_reset()
        clickstream_stop_reset()
        #if os(Linux)
        clickstream_curl_reset()
        #endif
        OwningProcess.reset()
    }
}
