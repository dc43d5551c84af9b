extension Collection<UInt8> {
    /// The bytes after a leading UTF-8 byte order mark, which some editors insert; all bytes if there is none.
    package var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
