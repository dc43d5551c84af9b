package import ClickstreamCore

/// Item that was visible long enough to count as seen.
package struct ItemImpression: Sendable, Hashable {
    /// The position among all items of the container.
    package var index: Int
    /// The start of the longest period of visibility.
    package var start: Timestamp
    /// The length of that period in seconds, rounded to the nearest integer.
    package var viewTime: Int
    /// The item's own data.
    package var data: Attributes

    package init(index: Int, start: Timestamp, viewTime: Int, data: Attributes = [:]) {
        self.index = index
        self.start = start
        self.viewTime = viewTime
        self.data = data
    }
}
