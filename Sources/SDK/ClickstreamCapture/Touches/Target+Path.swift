extension Target {
    /// The target of a gesture that starts on an element. Empty identifiers count as absent.
    package init(_ path: Capture.ElementPath, pageClass: String) {
        guard let element = path.element else {
            self = .root
            return
        }
        let accessibilityID = element.accessibilityID.nonEmpty
        let name =
            accessibilityID ?? element.restorationID.nonEmpty ?? element.tag.map { String($0) }
            ?? element.data.elementName
        self.init(
            path: accessibilityID.map { "\(element.className)[ai:\(pageClass).\($0)]" }
                ?? path.links.reduce(into: "[root]") { text, link in
                    text += ">"
                    text += Self.component(link, pageClass: pageClass)
                },
            id: name ?? "",
            isResponsive: path.links.contains { $0.element.responds }
        )
    }

    private static func component(_ link: Capture.ElementPath.Link, pageClass: String) -> String {
        let element = link.element
        if let id = element.restorationID.nonEmpty { return "\(element.className)[ri:\(pageClass).\(id)]" }
        if let tag = element.tag { return "\(element.className)[tg:\(tag)]" }
        return "\(element.className):eq(\(link.ordinal))"
    }
}

extension String? {
    /// The text, or `nil` if it is empty.
    var nonEmpty: String? {
        flatMap { $0.isEmpty ? nil : $0 }
    }
}
