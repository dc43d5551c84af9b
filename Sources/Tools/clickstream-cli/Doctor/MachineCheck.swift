import ClickstreamCore
import Foundation

/// Versions, and a test of compression.
enum MachineCheck {
    static func findings() -> [DoctorFinding] {
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        var findings = [
            DoctorFinding(
                .ok,
                .machine,
                "clickstream-cli \(SDK.version), zlib \(Gzip.libraryVersion), \(system)"
            )
        ]
        let text = Array("clickstream ".utf8) + [UInt8](repeating: 120, count: 10_000)
        // Any error counts as a failure.
        if (try? Gzip.inflate(Gzip.deflate(text), limit: 20_000)) != text {
            findings.append(
                DoctorFinding(
                    .problem,
                    .machine,
                    "zlib does not restore what it compressed",
                    why: "requests would be unreadable",
                    next: "install another zlib, or set isCompressEvents to false"
                )
            )
        }
        return findings
    }
}
