package import ClickstreamCore

extension JSONReader.Bounds {
    /// Depth and size of the JSON value that is built to judge an event in the clickstream format.
    ///
    /// Rules and plans do not apply to deeper values, and no valid event has as many attributes or items. Fields of the
    /// event itself that the server does not know are valid in any number.
    package static let event = JSONReader.Bounds(
        objectDepth: 3,
        arrayDepth: 2,
        outermost: 65_536,
        container: 4_096,
        values: 65_536
    )

    /// Size of the JSON value that is built to compare an event of any format with conditions on its values, whatever
    /// their depth.
    package static let conditions = JSONReader.Bounds(
        objectDepth: .max,
        arrayDepth: .max,
        container: 65_536,
        values: 65_536
    )
}
