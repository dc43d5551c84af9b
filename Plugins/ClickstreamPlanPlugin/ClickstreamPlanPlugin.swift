import Foundation
import PackagePlugin

/// Generates typed events from each file `*clickstream-plan.yaml`, `.yml` or `.json` among the files of a target.
@main
struct ClickstreamPlanPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let generator = try context.tool(named: "clickstream-plan").url
        return target.sourceFiles.map(\.url).filter(Self.isPlan).map { plan in
            let name = plan.deletingPathExtension().lastPathComponent
            let output = context.pluginWorkDirectoryURL.appending(component: "\(name).swift")
            return .buildCommand(
                displayName: "Generating typed events from \(plan.lastPathComponent)",
                executable: generator,
                arguments: [plan.path(percentEncoded: false), output.path(percentEncoded: false)],
                inputFiles: [plan],
                outputFiles: [output]
            )
        }
    }

    private static func isPlan(_ file: URL) -> Bool {
        ["yaml", "yml", "json"].contains(file.pathExtension)
            && file.deletingPathExtension().lastPathComponent.hasSuffix("clickstream-plan")
    }
}
