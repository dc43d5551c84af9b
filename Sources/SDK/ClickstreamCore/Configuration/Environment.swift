extension String {
    /// A value of a process's environment without white space at its ends, such as the line feed of a mounted secret; `nil` if
    /// nothing is left.
    package var setting: String? {
        let text = withoutOuterWhiteSpace
        return text.isEmpty ? nil : text
    }
}

/// Variables of a process.
extension [String: String] {
    /// The value of a variable, as `String.setting`; `nil` also if the variable is not set.
    package func setting(_ variable: String) -> String? { self[variable]?.setting }

    /// The folder for temporary files: `TMPDIR`, or `/tmp`; without a slash at its end.
    package var temporaryFolder: String {
        let folder = setting("TMPDIR") ?? "/tmp"
        return folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }
}
