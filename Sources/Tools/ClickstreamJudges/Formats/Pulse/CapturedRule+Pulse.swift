import ClickstreamCore

extension CapturedRule {
    /// The rules that only the pulse format has, in the order of the documents.
    static let ofPulse = [itemsCount, itemTime, scrollDistance, scrollSpeed, scrollDirection, gestureChange]

    static let itemsCount = CapturedRule(
        "items_count",
        meaning: "`items_count` is not the number of `params`.",
        fix: "Count the items of the event."
    )

    static let itemTime = CapturedRule(
        "item_time",
        .warning,
        meaning: "An item was seen later than the event, as after a change of the device's clock.",
        fix: "None, if the clock was set back while the item was visible."
    )

    static let scrollDistance = CapturedRule(
        "scroll_distance",
        meaning: "`distance` is not the difference of `start_position` and `end_position`. "
            + "A difference of 1, from truncation, is accepted.",
        fix: "Send the absolute difference of the positions."
    )

    static let scrollSpeed = CapturedRule(
        "scroll_speed",
        meaning: "`speed` is not `distance` × 1000 / `duration`, for a distance from `distance` to `distance` + 1.",
        fix: "Send pixels per second, and the duration in milliseconds."
    )

    static let scrollDirection = CapturedRule(
        "scroll_direction",
        meaning: "`direction` contradicts the positions: `up` and `left` have a growing offset, `down` and `right` a "
            + "shrinking one.",
        fix: "Send the direction in which the content moves."
    )

    static let gestureChange = CapturedRule(
        "gesture_change",
        meaning: "A value of `gesture_params` is not the difference of its start and end. "
            + "A difference of 1, from truncation, is accepted.",
        fix: "Send end − start for scale and rotation, and its absolute value for moves."
    )
}
