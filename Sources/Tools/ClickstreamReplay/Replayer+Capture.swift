import ClickstreamCapture
package import ClickstreamCore

extension Replayer {
    /// Selection of the formats that are recorded besides the clickstream one, and of their servers.
    package enum CaptureFormats: Sendable {
        /// The formats with an endpoint in the script, to these endpoints.
        case withEndpoint
        /// The formats that the script configures, with or without an endpoint, to other servers.
        case configured(CaptureServers)
        /// All formats that have a server here, also if the script does not configure them.
        case all(CaptureServers)
    }

    /// Endpoint by format, in place of that of a script. If it is empty, events stay in the queue; `nil`
    /// disables the format.
    package typealias CaptureServers = @Sendable (_ format: FormatName) -> String?

    /// The settings of the capture of the next process; `nil` if it has none.
    var captureConfiguration: CaptureConfiguration? {
        guard isCapturing else { return nil }
        let facts = facts.capture
        var configuration = CaptureConfiguration(autoEvents: facts.autoEvents ?? [])
        for format in CaptureConfiguration.formats {
            let values = facts.formats[format.formatName]
            var settings = format.scripted(values ?? [:], timeZone: script.timeZone.name)
            let endpoint =
                switch setup.formats {
                case .withEndpoint: settings.endpoint.isEmpty ? nil : settings.endpoint
                case .configured(let servers): values.flatMap { _ in servers(format.formatName) }
                case .all(let servers): servers(format.formatName)
                }
            guard let endpoint else { continue }
            settings.endpoint = endpoint
            settings.enable(in: &configuration)
        }
        return configuration
    }

    /// Performs a step of the user interface. The clock advances as long as the input takes.
    mutating func perform(_ input: Step.Input) async throws {
        for call in interface.calls(for: input) {
            if call.delay > 0 { try await wait(call.delay) }
            perform(call.input)
        }
    }

    func perform(_ report: Step.Report) {
        switch report {
        case .transaction(let transaction): capture?.transaction(transaction)
        case .variable(let variable): capture?.variable(variable)
        case .revenue(let kind, let properties): capture?.revenue(kind, properties: properties)
        }
    }

    private func perform(_ input: ScriptedInterface.Input) {
        guard let capture else { return }
        switch input {
        case .load(let page): capture.load(page)
        case .appear(let page): capture.appear(page)
        case .disappear(let id): capture.disappear(id)
        case .unload(let id): capture.unload(id)
        case .click(let path): capture.click(path)
        case .touch(let touch, let target): capture.touch(touch) { _ in target }
        case .gesture(let gesture, let path): capture.gesture(gesture, on: path)
        case .scroll(let path, let position): capture.scroll(path, to: position)
        case .items(let layout, let path, let items): capture.show(layout, in: path, source: items)
        }
    }
}

extension Script {
    /// True if the script configures automatic capture, has a user interface, or has a step of one.
    package var usesCapture: Bool {
        pages != nil || !facts.capture.isEmpty || Self.useCapture(steps)
    }

    private static func useCapture(_ steps: [Step]) -> Bool {
        steps.contains { step in
            switch step.action {
            case .input, .report: true
            case .launch(let facts): !facts.capture.isEmpty
            case .screen(_, _, _, let variables): !variables.isEmpty
            case .configure(_, let autoEvents): !autoEvents.isEmpty
            case .repeat(_, let steps): useCapture(steps)
            default: false
            }
        }
    }
}
