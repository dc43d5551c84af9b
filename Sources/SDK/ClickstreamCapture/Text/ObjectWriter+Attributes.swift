import ClickstreamCore

extension ObjectWriter {
    /// Appends attributes, except those with names of the format.
    mutating func members(_ attributes: Attributes, except reserved: Set<String> = []) {
        for element in attributes.elements where !reserved.contains(element.name) {
            begin(named: element.name)
            bytes.append(json: element.value)
        }
    }
}
