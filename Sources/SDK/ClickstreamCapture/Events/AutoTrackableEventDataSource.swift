/// Object of a toolkit that can generate auto events, such as a view, a control or a page.
public protocol AutoTrackableElement: AnyObject {}

/// Source of additional data of elements and pages, and of the decision whether they generate auto events.
///
/// An adapter calls it on the thread of the user interface, when the element generates an event.
public protocol AutoTrackableEventDataSource: AnyObject {
    /// Returns false if the element generates no auto events. True unless implemented.
    func shouldAutoTrack(for element: any AutoTrackableElement) -> Bool

    /// Returns additional data of the element's events. `nil` unless implemented.
    func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData?
}

extension AutoTrackableEventDataSource {
    /// Returns true.
    public func shouldAutoTrack(for element: any AutoTrackableElement) -> Bool { true }
    /// Returns no data.
    public func autoTrackEventData(for element: any AutoTrackableElement) -> AutoTrackableEventData? { nil }
}

extension Capture.Element {
    /// Applies the decision and the data of a data source to the element.
    public mutating func apply(_ source: any AutoTrackableEventDataSource, for object: any AutoTrackableElement) {
        if !source.shouldAutoTrack(for: object) { optBehavior = .autoOptOut }
        if let data = source.autoTrackEventData(for: object) { self.data = data }
    }
}

extension Capture.Page {
    /// Applies the decision and the data of a data source to the page.
    public mutating func apply(_ source: any AutoTrackableEventDataSource, for object: any AutoTrackableElement) {
        if !source.shouldAutoTrack(for: object) { optBehavior = .autoOptOut }
        if let data = source.autoTrackEventData(for: object) { self.data = data }
    }
}
