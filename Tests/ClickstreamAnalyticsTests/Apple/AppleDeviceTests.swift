import Foundation
import Testing

@testable import ClickstreamAnalytics

/// The decisions about an Apple device's facts; what reads them is built on Apple's systems alone.
@Suite("Apple's device facts")
struct AppleDeviceTests {
    @Test(
        "names the model like the manual's sample",
        arguments: [
            ("iPhone15,2", "iPhone 14 Pro"), ("iPhone11,6", "iPhone XS Max"), ("iPad13,19", "iPad (10th generation)"),
            ("iPad8,12", "iPad Pro 12.9-inch (4th generation)"), ("iPhone99,1", "iPhone99,1"), ("", ""),
        ]
    )
    func model(identifier: String, name: String) {
        #expect(AppleModel.name(of: identifier) == name)
    }

    @Test(
        "formats the system's version without its build",
        arguments: [((16, 4, 0), "16.4"), ((16, 4, 1), "16.4.1"), ((18, 0, 0), "18.0")]
    )
    func version(numbers: (Int, Int, Int), text: String) {
        let version = OperatingSystemVersion(
            majorVersion: numbers.0,
            minorVersion: numbers.1,
            patchVersion: numbers.2
        )
        #expect(AppleDevice.version(version) == text)
    }

    @Test(
        "returns the screen size in pixels",
        arguments: [(393.0, 3.0, 1_179), (852, 3, 2_556), (0, 2, 0), (.nan, 1, 0)]
    )
    func pixels(points: Double, scale: Double, expected: Int) {
        #expect(AppleDevice.pixels(points, scale: scale) == expected)
    }
}
