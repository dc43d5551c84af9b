// What the page says as long as nothing has come: how to point an app here.

function startElement() {
  const endpoint = new URL(facts.path, location.href).href;
  const appId = facts.appIds[0] ?? "my_app";
  const block = (title, text) => make("section", make("h3", title), make("pre", { tabindex: 0 }, text), button("Copy", () => copy(text, title), { "aria-label": `Copy: ${title}` }));
  return [
    make("h2", "Waiting for the first event"),
    make("p", "Apps send to ", make("code.mono", { id: "endpoint" }, endpoint), ". Each event is here the moment it is stored, judged by the SDK's own rules."),
    block("In Swift", `try ClickstreamAnalytics.initSDK(\n    ClickstreamConfiguration()\n        .withAppId("${appId}")\n        .withEndpoint("${endpoint}")\n)\nClickstreamAnalytics.recordEvent("hello")\nClickstreamAnalytics.flushEvents()`),
    block("Or without touching the code", `CLICKSTREAM_ENDPOINT=${endpoint} ./my-app`),
    block("Or a day of a shopping app", `clickstream-cli replay Docs/Examples/shopping.yaml --endpoint ${endpoint}`),
    make("p.muted", "A phone or another machine reaches the collector only when it is started with --host and an address of this machine."),
  ];
}
