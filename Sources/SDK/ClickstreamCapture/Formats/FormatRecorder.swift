import ClickstreamCore

/// Recorder of one format: encodes the events that the format has, and stores them in the queue of the format.
///
/// Owned by the state of capture, and thus protected by the client's lock. A class, because ``didRemoveEvents()`` is also
/// called while an event is stored.
protocol FormatRecorder: AnyObject {
    associatedtype Settings: FormatSettings

    init(_ settings: Settings)

    func record(_ event: CapturedEvent, _ access: inout RecorderAccess)
    func record(_ event: AppEvent, _ access: inout RecorderAccess, at moment: Moment)
    /// Events of the queue were removed before they were sent.
    func didRemoveEvents()
}

extension FormatRecorder {
    func didRemoveEvents() {}
}
