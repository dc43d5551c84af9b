public import ClickstreamCore

/// Additional data that an app supplies for an element or a page.
public struct AutoTrackableEventData: Sendable, Hashable {
    /// The custom name, which identifies the element in its events.
    public var elementName: String?
    /// Properties of the app, in each event of the element.
    public var additionalProperties: Attributes
    /// Identifiers of the app, in each event of the element.
    public var additionalIDs: Attributes
    /// The group of the element and of all elements in it.
    public var trackingGroup: String?
    /// The section of the element and of all elements in it.
    public var trackingSection: String?

    /// Creates data; values that are not given are absent.
    public init(
        elementName: String? = nil,
        additionalProperties: Attributes = [:],
        additionalIDs: Attributes = [:],
        trackingGroup: String? = nil,
        trackingSection: String? = nil
    ) {
        self.elementName = elementName
        self.additionalProperties = additionalProperties
        self.additionalIDs = additionalIDs
        self.trackingGroup = trackingGroup
        self.trackingSection = trackingSection
    }
}
