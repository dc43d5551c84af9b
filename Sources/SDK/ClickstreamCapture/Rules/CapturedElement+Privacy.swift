extension CapturedElement {
    /// Text of a masked value.
    package static let mask = "*"

    /// Describes an element as far as privacy rules allow.
    ///
    /// Entered text is never captured, only its length; a secure element has neither. A masked value is `*`, without a
    /// length or key that would reveal it. The value of a cell without own content is the first text in it.
    package init?(_ path: Capture.ElementPath, isPageMasked: Bool, rules: ClassRules, strings: ReverseLookup) {
        // Read in place: a copy of a link costs more than reading it.
        let links = path.links.span
        guard let last = links.indices.last else { return nil }
        self.init(links[last].element)
        guard !links[last].element.isSecure else { return }
        var isInherited = isPageMasked
        for index in links.indices where links[index].element.masking == .subtree { isInherited = true }
        setContent(links[last].element, isInherited: isInherited, rules: rules, strings: strings)
    }

    private init(_ element: borrowing Capture.Element) {
        self.init(
            className: element.className,
            type: element.type,
            name: element.data.elementName,
            accessibilityID: element.accessibilityID
        )
    }

    /// Sets the value, and what depends on it.
    /// - Parameter isInherited: true if the page or an element around it masks the value.
    private mutating func setContent(
        _ element: borrowing Capture.Element,
        isInherited: Bool,
        rules: ClassRules,
        strings: ReverseLookup
    ) {
        let isMasked = isInherited || rules.masks(element.className, element.masking)
        switch element.content {
        case .input(let length):
            if isMasked { value = Self.mask } else { inputLength = length }
        case .none where type == .tableViewCell || type == .collectionViewCell:
            guard let label = Label(in: element.children, isMasked: isMasked, rules: rules) else { return }
            setText(label.text, key: label.key, isMasked: label.isMasked, strings: strings)
        case .none:
            return
        case .text(let text):
            setText(text, key: element.localizedKey, isMasked: isMasked, strings: strings)
        }
    }

    /// Describes a page.
    package init(_ page: Capture.Page) {
        let title = page.title.nonEmpty
        self.init(
            className: page.className,
            type: .controller,
            name: page.data.elementName,
            value: page.isMasked ? title.map { _ in Self.mask } : title,
            accessibilityID: page.accessibilityID
        )
    }

    private mutating func setText(_ text: String, key: String?, isMasked: Bool, strings: ReverseLookup) {
        guard !text.isEmpty else { return }
        value = isMasked ? Self.mask : text
        localizedKey = isMasked ? nil : key ?? strings.key(of: text)
    }
}

/// First text in a cell, outside of secure elements.
private struct Label {
    var text: String
    var key: String?
    var isMasked: Bool

    init?(in elements: [Capture.Element], isMasked: Bool, rules: ClassRules) {
        for element in elements where !element.isSecure {
            let isInherited = isMasked || element.masking == .subtree
            if case .text(let text) = element.content, !text.isEmpty {
                self.text = text
                key = element.localizedKey
                self.isMasked = isInherited || rules.masks(element.className, element.masking)
                return
            }
            guard let inner = Label(in: element.children, isMasked: isInherited, rules: rules) else { continue }
            self = inner
            return
        }
        return nil
    }
}

extension ClassRules {
    /// True if the element's own value is masked, by its class or by itself.
    func masks(_ className: String, _ masking: Capture.Masking) -> Bool {
        masking != .none || masked.contains(className)
    }

    /// True if events of an instance are generated: its own setting counts, then that of its class.
    func tracks(className: String, own: OptBehavior?) -> Bool {
        (own ?? optBehavior[className] ?? .autoOptIn).isIn
    }
}
