/// Gesture that a recognizer of the toolkit reports. Points are window coordinates.
public enum RecognizedGesture: Sendable, Hashable {
    /// - fingers: the number of fingers that the recognizer requires.
    case tap(at: Capture.Point, fingers: Int)
    case longPress(at: Capture.Point, fingers: Int)
    /// Pinch, in percent of the original size.
    case scale(from: Double, to: Double)
    /// Rotation, in degrees.
    case rotate(from: Double, to: Double)
    case move(from: Capture.Point, to: Capture.Point)
}
