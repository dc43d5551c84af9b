/// An event with nothing wrong with it.
func event(
    _ id: String,
    name: String = "button_click",
    at offset: Int64 = -1_000,
    app: String = "shop",
    session: String? = "abcdefgh-20240508-012600000",
    uniqueID: String = "unique-1",
    userID: String? = nil,
    attributes: String = ""
) -> String {
    let session = session.map {
        #""_session_id":"\#($0)","_session_number":3,"_session_start_timestamp":\#(FixedTime.start - 60_000),"_session_duration":1"#
    }
    let all = [session ?? "", attributes].filter { !$0.isEmpty }.joined(separator: ",")
    let user = userID.map { #""_user_id":{"value":"\#($0)","set_timestamp":\#(FixedTime.start - 60_000)}"# } ?? ""
    return #"""
        {"event_id":"\#(id)","event_type":"\#(name)","app_id":"\#(app)","timestamp":\#(FixedTime.start + offset),"unique_id":"\#(uniqueID)","user":{\#(user)},"attributes":{\#(all)}}
        """#
}
