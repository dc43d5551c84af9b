import ClickstreamJudges
import Testing

extension PhraseTests {
    @Test(
        "of Contentsquare name the gesture and the target",
        arguments: [
            (#"{"ea":0}"#, "app start"), (#"{"ea":1}"#, "app show"), (#"{"ea":2}"#, "app hide"),
            (#"{"ea":4,"st":"Catalog"}"#, "screenview Catalog"),
            (#"{"ea":4,"st":"A","cv":{"1":{"customer":"new"},"2":{"n":3}}}"#, "screenview A customer=new n=3"),
            (#"{"ea":6,"tvid":"buy","tvp":"[root]>UIButton:eq(0)","ur":true}"#, "tap buy"),
            (
                #"{"ea":6,"tvid":"","tvp":"[root]>A:eq(0)>B<C>[ri:P.a>b]","ur":false}"#,
                "tap B<C>[ri:P.a>b] (not handled)"
            ),
            (#"{"ea":6,"tvp":"[root]>A:eq(0)>UILabel[ai:P.a>b]"}"#, "tap UILabel[ai:P.a>b]"),
            (#"{"ea":8,"tvp":"[root]"}"#, "long press [root]"),
            (#"{"ea":9,"fd":5,"tvid":"map"}"#, "drag complex map"),
            (#"{"ea":10,"fd":3,"tvid":"product.picture","tvd":260,"tvv":2167}"#, "swipe left product.picture"),
            (#"{"ea":10,"fd":77}"#, "swipe"),
            (#"{"ea":16,"tr":{"vl":20.50,"cu":978,"id":"T1"}}"#, "transaction 20.50 EUR T1"),
            (#"{"ea":16,"tr":{"vl":20,"cu":1}}"#, "transaction 20 1"),
            (#"{"ea":18,"k":"coupon","v":"spring"}"#, "variable coupon = spring"),
            (#"{"ea":19,"k":"size","v":3}"#, "variable size = 3"), (#"{"ea":77}"#, "ea 77"),
        ] as [(String, String)]
    )
    func contentsquare(event: String, text: String) throws {
        #expect(try phrase(.contentsquare, event) == text)
    }
}
