extension CapturedFormat: CaseIterable {
    /// All formats: that of the published pipeline, then the others in the order of the documents.
    package static let allCases: [CapturedFormat] = [clickstream, pulse, contentsquare, audit]

    /// The formats with a path, rules and tables of their own at the collector.
    package static let captured: [CapturedFormat] = allCases.filter { $0.list != .events }

    /// The formats of automatic capture.
    package static let ofCapture: [CapturedFormat] = allCases.filter { $0.list == .captured }

    /// Returns the format of ``captured`` with a name; `nil` for other names.
    package static func captured(named name: String) -> CapturedFormat? { Self.captured.first { $0.rawValue == name } }

    /// Returns the format of ``captured`` whose events the collector takes at a path; `nil` for other paths.
    package static func captured(at path: String) -> CapturedFormat? { Self.captured.first { $0.path == path } }

    /// This format if it is one of ``captured``; `nil` for clickstream.
    package var captured: CapturedFormat? { list == .events ? nil : self }
}
