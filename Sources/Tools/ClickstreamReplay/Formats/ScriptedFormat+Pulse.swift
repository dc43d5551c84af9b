import ClickstreamCapture

extension ScriptedFormat {
    static let pulse = ScriptedFormat(name: PulseFormat.name, keys: ["endpoint"]) { configuration, _, endpoint, _ in
        configuration.pulse = PulseSettings(endpoint: endpoint)
    }
}
