/// Numbers as eight hexadecimal digits, all of them at once.
@usableFromInline
package enum Hexadecimal: Sendable {
    /// The digits with `A` to `F`, in a word whose bytes in memory are the text.
    @inlinable
    package static func upperCase(_ number: UInt32) -> UInt64 {
        digits(number, letters: UInt64(UInt8(ascii: "A") - UInt8(ascii: "0") - 10))
    }

    /// The digits with `a` to `f`, in a word whose bytes in memory are the text.
    @inlinable
    package static func lowerCase(_ number: UInt32) -> UInt64 {
        digits(number, letters: UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10))
    }

    /// - Parameter letters: how far the letters stand from where they would follow the digits.
    @inlinable
    static func digits(_ number: UInt32, letters: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        // Four bytes two apart, the first one lowest; then the halves of each, the higher one lowest.
        var nibbles = UInt64(number.byteSwapped)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles >> 4 & 0x000F_000F_000F_000F) | (nibbles & 0x000F_000F_000F_000F) << 8
        let isLetter = (nibbles &+ each &* 6) >> 4 & each
        return (nibbles &+ each &* UInt64(UInt8(ascii: "0")) &+ isLetter &* letters).littleEndian
    }
}
