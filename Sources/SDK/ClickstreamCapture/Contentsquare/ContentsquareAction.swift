/// Event of the Contentsquare format, without the part that is common to all events.
package enum ContentsquareAction: Sendable, Equatable {
    case start
    case show
    case hide
    case screen(ContentsquareScreen, CustomVariables)
    case touch(TouchGesture, Target)
    case transaction(Capture.Transaction)
    case variable(DynamicVariable)
}

/// Screen as the Contentsquare format identifies it.
package struct ContentsquareScreen: Sendable, Hashable {
    package var name: String
    package var className: String

    package init(name: String, className: String) {
        self.name = name
        self.className = className
    }
}
