import Testing

@testable import clickstream_cli

extension TailLineTests {
    @Test("contains the user and the session of a batch, and the phrase before the main values")
    func contentsquare() throws {
        let element =
            #"{"form":"contentsquare","name":"flick","event":{"ea":10,"t":1693919966703,"sn":1,"fd":3,"tvid":"photo"},"#
            + #""header":{"uid":"u"},"status":"good","violations":[]}"#
        let line =
            "2023-09-05 13:19:26.703  ok   flick                 contentsquare  ~u            1         "
            + "swipe left photo  target_id=\"photo\"  direction=3"
        #expect(try lines(element, .human) == [line])
    }
}
