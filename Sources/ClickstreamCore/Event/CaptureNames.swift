/// Names of events of automatic capture in the clickstream format.
extension EventName {
    /// The user activated a control.
    package static let click = "_click"
    /// A screen was created.
    package static let screenLoad = "_screen_load"
    /// A touch gesture, or one that a recognizer of the toolkit reported.
    package static let gesture = "_gesture"
    /// The user scrolled.
    package static let scroll = "_scroll"
    /// The items of a list that were seen.
    package static let itemsImpression = "_items_impression"
    /// A purchase that the app reported.
    package static let transaction = "_transaction"
    /// A dynamic variable that the app set.
    package static let variable = "_variable"

    /// Every name of an event of automatic capture.
    static let captured: Set<String> = [
        click, screenLoad, gesture, scroll, itemsImpression, transaction, variable,
    ]
}

/// Names of attributes of automatic capture in the clickstream format: the fields of the documents, flattened.
extension AttributeName {
    package static let elementClass = "_element_class"
    package static let elementType = "_element_type"
    package static let elementID = "_element_id"
    package static let elementValue = "_element_value"
    package static let elementLocalizedKey = "_element_localized_key"
    package static let elementAccessibilityID = "_element_accessibility_id"
    package static let elementInputLength = "_element_input_length"
    package static let parentClass = "_parent_class"
    package static let parentID = "_parent_id"
    package static let parentAccessibilityID = "_parent_accessibility_id"
    package static let group = "_group"
    package static let section = "_section"
    package static let scrollDistance = "_scroll_distance"
    package static let scrollSpeed = "_scroll_speed"
    package static let scrollDirection = "_scroll_direction"
    package static let scrollDepth = "_scroll_depth"
    package static let scrollStartPosition = "_scroll_start_position"
    package static let scrollEndPosition = "_scroll_end_position"
    package static let scrollDuration = "_scroll_duration"
    package static let gestureType = "_gesture_type"
    package static let gestureDirection = "_gesture_direction"
    package static let gestureDistance = "_gesture_distance"
    package static let gestureVelocity = "_gesture_velocity"
    package static let gestureDuration = "_gesture_duration"
    package static let gestureTapX = "_gesture_tap_x"
    package static let gestureTapY = "_gesture_tap_y"
    package static let gestureTapsCount = "_gesture_taps_count"
    package static let gestureScaleStart = "_gesture_scale_start"
    package static let gestureScaleEnd = "_gesture_scale_end"
    package static let gestureScaleValue = "_gesture_scale_value"
    package static let gestureRotateStart = "_gesture_rotate_start"
    package static let gestureRotateEnd = "_gesture_rotate_end"
    package static let gestureRotateValue = "_gesture_rotate_value"
    package static let gestureMoveStartX = "_gesture_move_start_x"
    package static let gestureMoveStartY = "_gesture_move_start_y"
    package static let gestureMoveEndX = "_gesture_move_end_x"
    package static let gestureMoveEndY = "_gesture_move_end_y"
    package static let gestureMoveDistanceX = "_gesture_move_distance_x"
    package static let gestureMoveDistanceY = "_gesture_move_distance_y"
    package static let target = "_target"
    package static let targetID = "_target_id"
    package static let targetResponsive = "_target_responsive"
    package static let itemsCount = "_items_count"
    package static let transactionID = "_transaction_id"
    package static let variableKey = "_variable_key"
    package static let variableValue = "_variable_value"

    /// Every name of an attribute of automatic capture.
    static let captured: Set<String> = [
        elementClass, elementType, elementID, elementValue, elementLocalizedKey, elementAccessibilityID,
        elementInputLength, parentClass, parentID, parentAccessibilityID, group, section, scrollDistance, scrollSpeed,
        scrollDirection, scrollDepth, scrollStartPosition, scrollEndPosition, scrollDuration, gestureType,
        gestureDirection, gestureDistance, gestureVelocity, gestureDuration, gestureTapX, gestureTapY,
        gestureTapsCount, gestureScaleStart, gestureScaleEnd, gestureScaleValue, gestureRotateStart, gestureRotateEnd,
        gestureRotateValue, gestureMoveStartX, gestureMoveStartY, gestureMoveEndX, gestureMoveEndY,
        gestureMoveDistanceX, gestureMoveDistanceY, target, targetID, targetResponsive, itemsCount, transactionID,
        variableKey, variableValue,
    ]
}
