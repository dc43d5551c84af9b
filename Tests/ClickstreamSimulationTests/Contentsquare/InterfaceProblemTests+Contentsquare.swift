import Testing

extension InterfaceProblemTests {
    @Test("are reported for the configuration of the Contentsquare format")
    func contentsquare() {
        configuration(
            text: "contentsquare: { projectID: 8, batchSize: 0 }",
            expected: [
                "28: error: unknown key 'projectID' in 'contentsquare'; did you mean 'projectId'?",
                "53: error: 'batchSize' must be from 1 to 2147483647, not 0",
            ]
        )
    }
}
