#if Collector
/// An event of a contentsquare batch without findings.
func swipe(
    _ number: Int,
    session: Int = 1,
    own: String = #""ea":9,"tvp":"[root]","tvid":"","fd":3,"tvd":100,"tvv":99"#
)
    -> String
{
    #"{"upt":1522,"euid":"\#(capturedID(number))","url":"app-android://shop/Home?title=Home","scn":0,"c":1,"o":0,"#
        + #""vo":{"sv":"1.1.0","sb":4,"av":"2","af":"release","ab":1},"sn":\#(session),"t":\#(FixedTime.start - 1_000),\#(own)}"#
}

/// A batch of events.
func batch(_ events: [String]) -> String {
    header.dropLast() + #","pl":[\#(events.joined(separator: ","))]}"#
}

/// The header of ``batch(_:)``.
let header =
    #"{"pid":8,"uid":"ac1529a7-59f6-49d9-b254-6f0a22f57284","dt":4,"os":"13.1","l":"en_US","tz":"Europe/Paris","#
    + #""now":\#(FixedTime.start),"to":{"an":"shop","st":"sdk-ios","sf":"release"},"r":{"w":1080,"h":1920,"d":1.5}}"#
#endif
