extension Capture {
    /// Point in window coordinates, in logical pixels (dp).
    public struct Point: Sendable, Hashable {
        /// The distance from the left edge of the window.
        public var x: Double
        /// The distance from the top edge of the window.
        public var y: Double

        /// Creates a point.
        public init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }

        /// Returns the straight distance to another point.
        func distance(to other: Point) -> Double {
            squaredDistance(to: other).squareRoot()
        }

        /// Returns the square of the straight distance to another point.
        func squaredDistance(to other: Point) -> Double {
            let (width, height) = (x - other.x, y - other.y)
            return width * width + height * height
        }
    }

    /// Rectangle in window coordinates, in logical pixels. Left and top edge belong to it, right and bottom edge do not.
    public struct Frame: Sendable, Hashable {
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double

        /// Creates a rectangle from its left and top edge, and its size.
        public init(x: Double, y: Double, width: Double, height: Double) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }

        /// Returns true if the point is inside. An empty frame contains no point.
        package func contains(_ point: Point) -> Bool {
            point.x >= x && point.y >= y && point.x < x + width && point.y < y + height
        }

        /// The area in square pixels; 0 if a side is negative.
        package var area: Double { max(0, width) * max(0, height) }

        /// Returns the area that two frames have in common.
        package func sharedArea(with other: Frame) -> Double {
            let right = min(x + width, other.x + other.width)
            let bottom = min(y + height, other.y + other.height)
            return max(0, right - max(x, other.x)) * max(0, bottom - max(y, other.y))
        }
    }
}

extension Int {
    /// Truncates towards zero. Values beyond the range become the nearest integer, and a value that is no number 0.
    package init(saturating value: Double) {
        // Double(Int.max) rounds up, out of the range.
        switch value {
        case ..<Double(Int.min): self = .min
        case Double(Int.max)...: self = .max
        case _ where value.isNaN: self = 0
        default: self = Int(value)
        }
    }
}
