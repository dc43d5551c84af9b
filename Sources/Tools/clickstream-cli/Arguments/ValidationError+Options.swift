import ArgumentParser
import ClickstreamCore

extension ValidationError {
    /// Refuses an empty value, such as an unset variable of a script.
    /// - Parameter noun: kind of the value, such as `a folder`.
    static func refuseEmpty(_ option: String, _ value: String?, name noun: String) throws {
        if value?.isEmpty == true { throw ValidationError("\(option) is empty; name \(noun), or leave it out") }
    }

    /// Refuses a number less than 1.
    static func refuseBelowOne(_ option: String, _ number: Int?) throws {
        if let number, number < 1 { throw ValidationError("\(option) must be an integer from 1, not \(number)") }
    }

    /// Refuses times of reception between which there is none.
    static func refuseEmptyRange(_ since: TimeOption?, _ until: TimeOption?) throws {
        guard let since = since?.time, let until = until?.time, until <= since else { return }
        throw ValidationError(
            "--until \(until) is not after --since \(since): events are received at or after --since, and before --until"
        )
    }

    /// Refuses the value of `--endpoint` if it is not an endpoint.
    static func refuseInvalid(endpoint: String?) throws {
        guard let endpoint, let refusal = Endpoint.refusal(of: endpoint, from: "--endpoint") else { return }
        throw ValidationError(refusal)
    }
}
