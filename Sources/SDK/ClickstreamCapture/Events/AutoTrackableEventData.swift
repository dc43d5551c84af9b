public import ClickstreamCore

/// Additional data that an app supplies for an element or a page.
public struct AutoTrackableEventData: Sendable, Hashable {
    /// The custom name, which identifies the element in its events.
    public var elementName: String?
    public var additionalProperties: Attributes
    public var additionalIDs: Attributes
    /// The group of the element and of all elements in it.
    public var trackingGroup: String?
    /// The section of the element and of all elements in it.
    public var trackingSection: String?

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
