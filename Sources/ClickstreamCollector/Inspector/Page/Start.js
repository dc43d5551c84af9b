// Instructions while the store is empty: how to point an app at the collector.

function startElement() {
  const endpoint = new URL(facts.path, location.href).href;
  const appId = facts.appIds[0] ?? "my_app";
  const block = (title, text) => make("section", make("h3", title), make("pre", { tabindex: 0 }, text), button("Copy", () => copy(text, title), { "aria-label": `Copy: ${title}` }));
  return [
    make("h2", "Waiting for the first event"),
    make("p", "Apps send to ", make("code.mono", { id: "endpoint" }, endpoint), ". Each event appears as soon as it is stored, validated by the rules of the SDK and of the server."),
    block("In Swift", `try ClickstreamAnalytics.initSDK(\n    ClickstreamConfiguration()\n        .withAppId("${appId}")\n        .withEndpoint("${endpoint}")\n)\nClickstreamAnalytics.recordEvent("hello")\nawait ClickstreamAnalytics.flush()`),
    block("Without a change of the code", `CLICKSTREAM_ENDPOINT=${endpoint} ./my-app`),
    block("Sample data: a day of a shopping app", `clickstream-cli replay Docs/Examples/shopping.yaml --endpoint ${endpoint}`),
    make("p.muted", "A phone or another machine can reach the collector only if it was started with --host and an address of this machine."),
  ];
}
