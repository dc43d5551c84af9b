import ClickstreamCore
import ClickstreamDocuments
import ClickstreamPlan
import Foundation

/// Generator of the build-tool plugin: `clickstream-plan PLAN OUTPUT` writes Swift source with typed events.
///
/// Mistakes of the plan are printed as the compiler prints its errors, so that editors show them in the plan.
@main
struct ClickstreamPlanGenerator {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fail("usage: clickstream-plan PLAN OUTPUT", status: 64) }
        let (plan, output) = (arguments[1], arguments[2])
        do {
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: plan)))
            let source = try TrackingPlan.read(bytes, file: plan).swift()
            try Data(source.utf8).write(to: URL(fileURLWithPath: output))
        } catch let error as DocumentError {
            fail(error.description, status: 65)
        } catch {
            fail("\(plan): error: \(error.localizedDescription)", status: 74)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
