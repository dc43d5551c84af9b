extension Collection<UInt8> {
    /// What follows the byte order mark that some editors put in front, and that says nothing in UTF-8; all where there is
    /// none.
    package var withoutByteOrderMark: SubSequence {
        starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...]
    }
}
