package import ClickstreamCore

extension RecorderAccess {
    /// Records an event of a visitor instead of this device's user, with the visitor's fields alone; for a tool that records
    /// for others. The session and the screens of the app stay as they are.
    package mutating func record(
        _ name: String,
        _ attributes: Attributes,
        _ items: [Attributes],
        for visitor: Visitor,
        at moment: Moment
    ) {
        let includesAttributes = configuration.sendsUserAttributesInEveryEvent || name == EventName.profileSet
        let composer = VisitorComposer(
            writer: VisitorWriter(appID: appID, app: device.app),
            globals: globalAttributes,
            ids: ids
        )
        record(at: moment) { line in
            var found: [Violation] = []
            guard let visitor = visitor.checked(into: &found) else { return (nil, found) }
            let (event, rejected) = VisitorFields.of(visitor, at: moment.wall, userAttributes: includesAttributes) {
                composer.compose(
                    name,
                    attributes,
                    items,
                    visitor,
                    $0,
                    session: nil,
                    found: found,
                    into: &line,
                    at: moment.wall
                )
            }
            return (event, rejected.map { [$0] } ?? [])
        }
    }
}
