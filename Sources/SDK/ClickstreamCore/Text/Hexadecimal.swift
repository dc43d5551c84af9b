/// Formatting of numbers as eight hexadecimal digits in one step, without a loop.
@usableFromInline
package enum Hexadecimal: Sendable {
    /// Returns the digits with `A` to `F`, in a word whose bytes in memory are the text.
    @inlinable
    package static func upperCase(_ number: UInt32) -> UInt64 {
        digits(number, letters: UInt64(UInt8(ascii: "A") - UInt8(ascii: "0") - 10))
    }

    /// Returns the digits with `a` to `f`, in a word whose bytes in memory are the text.
    @inlinable
    package static func lowerCase(_ number: UInt32) -> UInt64 {
        digits(number, letters: UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10))
    }

    /// - Parameter letters: the distance of the first letter from the character after `9`.
    @inlinable
    static func digits(_ number: UInt32, letters: UInt64) -> UInt64 {
        let each: UInt64 = 0x0101_0101_0101_0101
        // Spreads the four bytes two apart, first byte lowest; then splits each into nibbles, high nibble lowest.
        var nibbles = UInt64(number.byteSwapped)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles >> 4 & 0x000F_000F_000F_000F) | (nibbles & 0x000F_000F_000F_000F) << 8
        let isLetter = (nibbles &+ each &* 6) >> 4 & each
        return (nibbles &+ each &* UInt64(UInt8(ascii: "0")) &+ isLetter &* letters).littleEndian
    }
}
