package enum SDK {
    static let name = "aws-solution-clickstream-sdk"
    static let version = "0.1.0"
}
