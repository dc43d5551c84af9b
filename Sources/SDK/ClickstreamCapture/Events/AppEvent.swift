import ClickstreamCore

/// Event of the app's lifecycle, or one that the app reports, before it is encoded in any wire format.
enum AppEvent {
    /// The app started: events before it have no effect on those after it. ``show`` follows.
    case start
    /// The app became visible.
    case show
    /// The app became invisible.
    case hide
    case screen(name: String, id: String?, CustomVariables)
    case transaction(Capture.Transaction, id: UniqueID)
    case variable(DynamicVariable, id: UniqueID)
    case revenue(RevenueEvent)
}
