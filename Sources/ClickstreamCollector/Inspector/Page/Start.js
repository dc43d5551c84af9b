// Instructions while the store is empty: how to point an app at the collector.

/** Text to copy, with a title. */
const startBlock = (title, text) => make("section", make("h3", title), make("pre", { tabindex: 0 }, text), button("Copy", () => copy(text, title), { "aria-label": `Copy: ${title}` }));

function startElement() {
  const endpoint = new URL(facts.path, location.href).href;
  const appId = facts.appIds[0] ?? "my_app";
  return [
    make("h2", "Waiting for the first event"),
    make("p", "Apps send to ", make("code.mono", { id: "endpoint" }, endpoint), ". Each event appears as soon as it is stored, validated by the rules of the SDK and of the server."),
    startBlock("In Swift", `try ClickstreamAnalytics.initSDK(\n    ClickstreamConfiguration()\n        .withAppId("${appId}")\n        .withEndpoint("${endpoint}")\n)\nClickstreamAnalytics.recordEvent("hello")\nawait ClickstreamAnalytics.flush()`),
    startBlock("Without a change of the code", `CLICKSTREAM_ENDPOINT=${endpoint} ./my-app`),
    startBlock("Sample data: a day of a shopping app", `clickstream-cli replay Docs/Examples/shopping.yaml --endpoint ${endpoint}`),
    make("p.muted", "A phone or another machine can reach the collector only if it was started with --host and an address of this machine."),
  ];
}

/** Instructions while the store has no captured event. */
function captureStartElement() {
  const address = (path) => new URL(path, location.href).href;
  const pulse = '[{"event_type":"gesture","event_id":"7749CD2D-8309-47D2-9448-2FD9089A099F","timestamp":' + Date.now() + ',"is_background":false,"data":{"metadata":{"auto_generated":true,"event_id_source":"sdk"},"connection_type":"WIFI","previous_events":[],"sources_info":[],"parent_info":{"class":"HomeViewController","id":"Home"},"gesture_params":{"tap_x":185,"type":"tap","tap_y":376,"taps_count":1},"target_info":{"class":"UIView"}}}]';
  return [
    make("h2", "Waiting for the first captured event"),
    make("p", "Captured sessions show the pages of an app with what was touched on them. Pulse events are accepted at ", make("code.mono", address("/pulse")), ", Contentsquare batches at ", make("code.mono", address("/contentsquare")), "."),
    startBlock("In Swift", `let capture = Capture(client, CaptureConfiguration(\n    autoEvents: [.viewController, .buttonClick, .scroll, .gesture, .touch],\n    pulse: PulseSettings(endpoint: "${address("/pulse")}"),\n    contentsquare: ContentsquareSettings(endpoint: "${address("/contentsquare")}", projectID: 8)\n))`),
    startBlock("A single event, to try it", `curl ${address("/pulse")} -H 'content-type: application/json' -d '${pulse}'`),
    make("p.muted", "Each format has its own endpoint and queue. See Docs/capture.md."),
  ];
}
