extension GestureParameters {
    package init(_ gesture: RecognizedGesture) {
        func whole(_ value: Double) -> Int { Int(saturating: value) }
        self =
            switch gesture {
            case .tap(let point, let fingers): .tap(x: whole(point.x), y: whole(point.y), fingers: fingers)
            case .longPress(let point, let fingers): .longPress(x: whole(point.x), y: whole(point.y), fingers: fingers)
            case .scale(let from, let to): .scale(start: whole(from), end: whole(to), change: whole(to - from))
            case .rotate(let from, let to): .rotate(start: whole(from), end: whole(to), change: whole(to - from))
            case .move(let from, let to):
                .move(
                    Move(
                        startX: whole(from.x),
                        startY: whole(from.y),
                        endX: whole(to.x),
                        endY: whole(to.y),
                        distanceX: whole(abs(to.x - from.x)),
                        distanceY: whole(abs(to.y - from.y))
                    )
                )
            }
    }
}
