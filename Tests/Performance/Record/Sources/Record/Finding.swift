/// One figure, as a line of JSON.
struct Finding {
    var name: String
    var value: Double
    var unit: String
    var limit: Double?
    var rival: String?

    func report() {
        let limit = limit.map { "\(rounded($0))" } ?? "null"
        let rival = rival.map { "\"\($0)\"" } ?? "null"
        print(
            #"{"name": "\#(name)", "value": \#(rounded(value)), "unit": "\#(unit)", "limit": \#(limit), "rival": \#(rival)}"#
        )
    }

    private func rounded(_ number: Double) -> Double {
        (number * 1_000).rounded() / 1_000
    }
}

func report(_ name: String, _ value: Double, _ unit: String, limit: Double? = nil, rival: String? = nil) {
    Finding(name: name, value: value, unit: unit, limit: limit, rival: rival).report()
}
