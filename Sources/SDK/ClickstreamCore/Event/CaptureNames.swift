/// Event of automatic capture in the clickstream format. The raw value is its name.
package enum CapturedName: String, Sendable, CaseIterable {
    /// The user activated a control.
    case click = "_click"
    /// A screen was created.
    case screenLoad = "_screen_load"
    /// A touch gesture, or one that a recognizer of the toolkit reported.
    case gesture = "_gesture"
    /// The user scrolled.
    case scroll = "_scroll"
    /// The items of a list that were seen.
    case itemsImpression = "_items_impression"
    /// A purchase that the app reported.
    case transaction = "_transaction"
    /// A dynamic variable that the app set.
    case variable = "_variable"
}

/// Attribute of an event of automatic capture in the clickstream format: a field of the documents, flattened. The raw
/// value is its name.
package enum CapturedField: String, Sendable, CaseIterable {
    case elementClass = "_element_class"
    case elementType = "_element_type"
    case elementID = "_element_id"
    case elementValue = "_element_value"
    case elementLocalizedKey = "_element_localized_key"
    case elementAccessibilityID = "_element_accessibility_id"
    case elementInputLength = "_element_input_length"
    case parentClass = "_parent_class"
    case parentID = "_parent_id"
    case parentAccessibilityID = "_parent_accessibility_id"
    case group = "_group"
    case section = "_section"
    case scrollDistance = "_scroll_distance"
    case scrollSpeed = "_scroll_speed"
    case scrollDirection = "_scroll_direction"
    case scrollDepth = "_scroll_depth"
    case scrollStartPosition = "_scroll_start_position"
    case scrollEndPosition = "_scroll_end_position"
    case scrollDuration = "_scroll_duration"
    case gestureType = "_gesture_type"
    case gestureDirection = "_gesture_direction"
    case gestureDistance = "_gesture_distance"
    case gestureVelocity = "_gesture_velocity"
    case gestureDuration = "_gesture_duration"
    case gestureTapX = "_gesture_tap_x"
    case gestureTapY = "_gesture_tap_y"
    case gestureTapsCount = "_gesture_taps_count"
    case gestureScaleStart = "_gesture_scale_start"
    case gestureScaleEnd = "_gesture_scale_end"
    case gestureScaleValue = "_gesture_scale_value"
    case gestureRotateStart = "_gesture_rotate_start"
    case gestureRotateEnd = "_gesture_rotate_end"
    case gestureRotateValue = "_gesture_rotate_value"
    case gestureMoveStartX = "_gesture_move_start_x"
    case gestureMoveStartY = "_gesture_move_start_y"
    case gestureMoveEndX = "_gesture_move_end_x"
    case gestureMoveEndY = "_gesture_move_end_y"
    case gestureMoveDistanceX = "_gesture_move_distance_x"
    case gestureMoveDistanceY = "_gesture_move_distance_y"
    case target = "_target"
    case targetID = "_target_id"
    case targetResponsive = "_target_responsive"
    case itemsCount = "_items_count"
    case transactionID = "_transaction_id"
    case variableKey = "_variable_key"
    case variableValue = "_variable_value"
}
