/// End of delivery. A request in progress is never cut off, since its events might then be sent twice.
extension ClickstreamClient {
    /// True during a flush.
    package var isDelivering: Bool { delivery.isRunning }

    /// Ends sending after the current request.
    /// - Returns: false if the last request failed.
    @discardableResult
    package func endDelivery() async -> Bool {
        guard isOurs else { return true }
        timers.cancelFlush()
        return await delivery.finish()
    }

    /// Sends the queue, and returns a report, before the end of the client. Nothing is sent after the return.
    /// - Parameter deadline: the time after which no request begins; `nil` for no deadline. A request in progress then
    ///   is awaited, within its own time limits.
    package func flushLast(deadline: Duration?) async -> FlushReport {
        guard isOurs else { return .inChild }
        timers.cancelFlush()
        return await delivery.flushLast(deadline: deadline)
    }
}
