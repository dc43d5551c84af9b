/// Output of a program: a line of JSON for each figure, and for each line of a picture.
enum Finding {
    /// - Parameters:
    ///   - limit: what the value is held against, in the same unit; `nil`: nothing.
    ///   - rival: whose figure the limit is.
    static func report(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil, rival: String? = nil) {
        let limit = limit.map { rounded($0) } ?? "null"
        let rival = rival.map { "\"\($0)\"" } ?? "null"
        print(
            #"{"name": "\#(name)", "value": \#(rounded(value)), "unit": "\#(unit)", "limit": \#(limit), "rival": \#(rival)}"#
        )
    }

    /// One line of a picture.
    static func draw(_ picture: String, _ series: String, _ points: [(x: Double, y: Double)]) {
        let points = points.map { "[\(rounded($0.x)), \(rounded($0.y))]" }.joined(separator: ", ")
        print(#"{"picture": "\#(picture)", "series": "\#(series)", "points": [\#(points)]}"#)
    }

    private static func rounded(_ number: Double) -> String {
        guard number.isFinite else { return "null" }
        return abs(number) < 100 ? "\((number * 10_000).rounded() / 10_000)" : "\((number * 10).rounded() / 10)"
    }
}
