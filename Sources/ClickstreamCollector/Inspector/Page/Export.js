// What is shown, as a file: each event in the bytes that were sent, or a table that a spreadsheet cannot take for formulas.

function save(parts, name, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** A cell: quoted, and with an apostrophe before what a spreadsheet would run. Numbers stay numbers. */
function cell(value) {
  if (typeof value === "number") return String(value);
  const text = value === null || value === undefined ? "" : String(value);
  const isFormula = /^[\s]*[=+\-@\t\r|%]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  return `"${(isFormula ? `'${text}` : text).replaceAll('"', '""')}"`;
}

const csvColumns = {
  happened: (event) => new Date(event.time).getTime() ? new Date(event.time).toISOString() : "",
  arrived: (event) => new Date(event.received).toISOString(),
  status: (event) => (event.isBad ? "bad" : "good"),
  codes: (event) => event.codes.join(" "),
  event_type: (event) => event.name,
  event_id: (event) => event.id,
  timestamp: (event) => event.time,
  app_id: (event) => event.app,
  session_id: (event) => event.session,
  user_id: (event) => event.user,
  unique_id: (event) => event.unique,
  screen: (event) => event.screen,
  request_id: (event) => event.request,
  event: (event) => event.json,
};

const csvLine = (cells) => `${cells.join(",")}\r\n`;
const toNDJSON = (events) => events.map((event) => `${event.json.replaceAll(/[\r\n]/g, " ")}\n`);
const toCSV = (events) => [csvLine(Object.keys(csvColumns)), ...events.map((event) => csvLine(Object.values(csvColumns).map((column) => cell(column(event)))))];

function exportDialog(events) {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  openDialog("Export", [
    make("p", `${count(events.length, "event")}, as filtered now.`),
    make("p.muted", "NDJSON has each event as it was sent, one a line: clickstream-cli validate reads it. CSV is for spreadsheets; cells that look like formulas begin with an apostrophe."),
  ], [
    button("NDJSON", () => { save(toNDJSON(events), `events-${stamp}.ndjson`, "application/x-ndjson"); closeDialog(); }, { class: "primary", id: "export-ndjson" }),
    button("CSV", () => { save(toCSV(events), `events-${stamp}.csv`, "text/csv"); closeDialog(); }, { id: "export-csv" }),
  ]);
}
