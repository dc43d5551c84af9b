extension Capture {
    /// Touch event of one finger, as a toolkit reports it.
    public struct Touch: Sendable, Hashable {
        package var phase: Phase
        package var point: Point
        package var finger: UInt8

        /// Phase of a touch.
        public enum Phase: Sendable, Hashable, CaseIterable {
            case down
            case move
            case up
            /// The toolkit or another recognizer took the sequence over.
            case cancel
            /// The finger left the window.
            case leave
        }

        /// Creates a touch event.
        /// - Parameters:
        ///   - phase: what the finger did.
        ///   - point: where it did so.
        ///   - finger: the slot of the finger, from 0 to 63; unique among the fingers on the screen.
        public init(_ phase: Phase, at point: Point, finger: UInt8 = 0) {
            self.phase = phase
            self.point = point
            self.finger = finger
        }
    }
}
