package import ClickstreamCore

/// Revenue that an app reports.
package struct RevenueEvent: Sendable, Equatable {
    package var kind: RevenueKind
    package var id: UniqueID
    package var time: Moment
    /// True if the app was in the background.
    package var isInBackground: Bool
    package var context: PageContext
    /// The app's data of the transaction.
    package var properties: Attributes

    package init(
        _ kind: RevenueKind,
        id: UniqueID,
        time: Moment,
        isInBackground: Bool,
        context: PageContext,
        properties: Attributes
    ) {
        self.kind = kind
        self.id = id
        self.time = time
        self.isInBackground = isInBackground
        self.context = context
        self.properties = properties
    }
}
