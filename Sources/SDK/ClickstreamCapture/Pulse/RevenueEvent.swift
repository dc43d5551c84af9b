package import ClickstreamCore

/// Revenue that an app reports.
package struct RevenueEvent: Sendable, Equatable {
    package var kind: RevenueKind
    package var id: UniqueID
    package var time: Moment
    /// True if the app was in the background.
    package var isInBackground: Bool
    package var context: PageContext
    /// The ids of the last ten captured events, oldest first.
    package var previousEvents: [UniqueID]
    /// The app's data of the transaction.
    package var properties: Attributes

    package init(
        _ kind: RevenueKind,
        id: UniqueID,
        time: Moment,
        isInBackground: Bool,
        context: PageContext,
        previousEvents: [UniqueID],
        properties: Attributes
    ) {
        self.kind = kind
        self.id = id
        self.time = time
        self.isInBackground = isInBackground
        self.context = context
        self.previousEvents = previousEvents
        self.properties = properties
    }
}
