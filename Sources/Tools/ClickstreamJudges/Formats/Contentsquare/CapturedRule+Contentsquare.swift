import ClickstreamCore

extension CapturedRule {
    /// The rules that only the Contentsquare format has, in the order of the documents.
    static let ofContentsquare = [gestureClass, gestureThreshold, variableIndex, variable, currency, url]

    static let gestureClass = CapturedRule(
        "gesture_class",
        meaning: "A gesture contradicts its class: a drag has `tvd` above 48 and `tvv` "
            + "below 100, a flick `tvd` above 48 and `tvv` from 100.",
        fix: "Classify the gesture by the thresholds of the document."
    )

    static let gestureThreshold = CapturedRule(
        "gesture_threshold",
        .warning,
        meaning: "`tvd` is 48. A drag or flick is longer than 48 dp; this one is only if the distance was truncated.",
        fix: "None, if the distance was above 48."
    )

    static let variableIndex = CapturedRule(
        "variable_index",
        meaning: "The index of a custom variable is not an integer, or occurs twice.",
        fix: "Give each variable an index of its own."
    )

    static let variable = CapturedRule(
        "variable",
        meaning: "A custom variable is not an object with one name and one text.",
        fix: #"Send { "2": { "name_1": "value_1" } }."#
    )

    static let currency = CapturedRule(
        "currency",
        meaning: "`cu` is not the number of a currency in ISO 4217.",
        fix: "Send the number, such as 978 for the euro."
    )

    static let url = CapturedRule(
        "url",
        meaning: "`url` does not have the form app-<platform>://<app id>/<path>?title=<screen name>.",
        fix: "Send the screen's class as path and its name as title, percent-encoded."
    )
}
