import ClickstreamCore

/// Receiver of the fields of an event in the clickstream format, in order.
protocol FieldSink: ~Copyable {
    mutating func append(_ field: CapturedField, _ text: String)
    mutating func append(_ field: CapturedField, _ integer: Int64)
    mutating func append(_ field: CapturedField, _ truth: Bool)
}

extension FieldSink where Self: ~Copyable {
    /// Appends a text, cut to the longest value of an attribute; nothing for `nil`.
    @inline(__always)
    mutating func append(_ field: CapturedField, cut text: String?) {
        guard let text else { return }
        append(field, text.utf8.count <= longestText ? text : CrashReport.cut(message: text))
    }

    @inline(__always)
    mutating func append(_ field: CapturedField, _ integer: Int) {
        append(field, Int64(integer))
    }
}

/// The length in bytes up to which a text is never cut.
private let longestText = Rules.attributes.longestValue

extension EventLine: FieldSink {}

extension Attributes: FieldSink {
    mutating func append(_ field: CapturedField, _ text: String) { set(field.rawValue, to: .string(text)) }
    mutating func append(_ field: CapturedField, _ integer: Int64) { set(field.rawValue, to: .integer(integer)) }
    mutating func append(_ field: CapturedField, _ truth: Bool) { set(field.rawValue, to: .boolean(truth)) }
}

extension CapturedEvent {
    /// Appends the fields of the event, which have a leading underscore.
    func appendFields(to sink: inout some FieldSink & ~Copyable) {
        if let element { sink.append(contentsOf: element) }
        if let parent {
            sink.append(.parentClass, cut: parent.className)
            sink.append(.parentID, cut: parent.name)
            sink.append(.parentAccessibilityID, cut: parent.accessibilityID)
        }
        content.appendFields(to: &sink)
        sink.append(.group, cut: group)
        sink.append(.section, cut: section)
    }
}

extension FieldSink where Self: ~Copyable {
    fileprivate mutating func append(contentsOf element: CapturedElement) {
        append(.elementClass, cut: element.className)
        append(.elementType, cut: element.type?.rawValue)
        append(.elementID, cut: element.name)
        append(.elementValue, cut: element.value)
        append(.elementLocalizedKey, cut: element.localizedKey)
        append(.elementAccessibilityID, cut: element.accessibilityID)
        if let length = element.inputLength { append(.elementInputLength, length) }
    }

    fileprivate mutating func append(contentsOf gesture: GestureParameters) {
        append(.gestureType, cut: gesture.name)
        switch gesture {
        case .tap(let x, let y, let fingers), .longPress(let x, let y, let fingers):
            append(.gestureTapX, x)
            append(.gestureTapY, y)
            append(.gestureTapsCount, fingers)
        case .scale(let start, let end, let change):
            append(.gestureScaleStart, start)
            append(.gestureScaleEnd, end)
            append(.gestureScaleValue, change)
        case .rotate(let start, let end, let change):
            append(.gestureRotateStart, start)
            append(.gestureRotateEnd, end)
            append(.gestureRotateValue, change)
        case .move(let move):
            append(.gestureMoveStartX, move.startX)
            append(.gestureMoveStartY, move.startY)
            append(.gestureMoveEndX, move.endX)
            append(.gestureMoveEndY, move.endY)
            append(.gestureMoveDistanceX, move.distanceX)
            append(.gestureMoveDistanceY, move.distanceY)
        }
    }
}

extension CapturedEvent.Content {
    fileprivate func appendFields(to sink: inout some FieldSink & ~Copyable) {
        switch self {
        case .pageLoad, .pageView, .click:
            break
        case .touch(let gesture, let target):
            sink.append(.gestureType, cut: gesture.kind.name)
            sink.append(.target, cut: target.path)
            sink.append(.targetID, cut: target.id)
            sink.append(.targetResponsive, target.isResponsive)
            sink.append(.gestureDuration, gesture.duration)
            guard gesture.kind == .drag || gesture.kind == .flick else { return }
            sink.append(.gestureDirection, cut: gesture.direction.name)
            sink.append(.gestureDistance, Int(saturating: gesture.distance))
            sink.append(.gestureVelocity, Int(saturating: gesture.velocity))
        case .scroll(let scroll):
            sink.append(.scrollDistance, scroll.distance)
            sink.append(.scrollSpeed, scroll.speed)
            sink.append(.scrollDirection, cut: scroll.direction.rawValue)
            sink.append(.scrollDepth, scroll.depth)
            sink.append(.scrollStartPosition, scroll.start)
            sink.append(.scrollEndPosition, scroll.end)
            sink.append(.scrollDuration, scroll.duration)
        case .gesture(let parameters):
            sink.append(contentsOf: parameters)
        case .impressions(let items, _):
            sink.append(.itemsCount, items.count)
        }
    }
}
