extension Collection<UInt8> {
    /// The bytes after a leading UTF-8 byte order mark, which some editors insert; all bytes if there is none.
    package var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }

    /// True if the bytes begin like text in UTF-16, such as the output of `>` in Windows PowerShell: with its byte order
    /// mark, or with two ASCII characters of 16 bits. Text in UTF-8 begins with neither.
    package var isUTF16: Bool {
        let start = Array(prefix(TextEncoding.bytesOfUTF16))
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return true }
        guard start.count == TextEncoding.bytesOfUTF16 else { return false }
        let zeros = start.map { $0 == 0 }
        return zeros == [false, true, false, true] || zeros == [true, false, true, false]
    }
}

/// Encodings of text files.
package enum TextEncoding {
    /// Number of bytes at the beginning of a text by which UTF-16 is recognized.
    package static let bytesOfUTF16 = 4

    /// Cause and remedy for bytes that begin like UTF-16.
    package static let utf16Refusal =
        "the text is UTF-16, not UTF-8; convert it with 'iconv -f UTF-16 -t UTF-8', "
        + "or write it in PowerShell with 'Out-File -Encoding utf8'"
}
