// Answers of a saved file to the requests of the page: those that were saved, and those that its rows have or that are computed from them.

import { windows } from "./Retention.js";
import { saved } from "./Saved.js";
import { eventPage } from "./SavedEvents.js";
import { countReport, funnelReport } from "./SavedReports.js";

/** Names of what a file may lack, by the first parts of the path. */
const nouns = { sessions: "timeline of this session", requests: "such request", plan: "such part of the plan", audit: "such audit event", events: "such event", captured: "such event" };

/** Answers that are computed from the events of the file, by path: functions of the query. */
const computed = { "/api/events": eventPage, "/api/report/count": countReport, "/api/report/funnel": funnelReport };

/** Path and query of a request to the collector. */
function partsOf(path) {
  const [name, query] = path.split("?");
  return { name, query: new URLSearchParams(query ?? "") };
}

/** Path of a request without the parameters that limit the length of the answer. */
export function answerKey(path) {
  const { name, query } = partsOf(path);
  for (const limit of ["event_bytes", "data_bytes", "limit"]) query.delete(limit);
  return query.size ? `${name}?${query}` : name;
}

/** Text of the answer to a path of the API; undefined without one. */
function answerOf(path) {
  const { name, query } = partsOf(path);
  const [, , kind, id] = name.split("/"), key = answerKey(path);
  if (Object.hasOwn(saved.answers, key)) return saved.answers[key];
  if (Object.hasOwn(computed, name)) return computed[name](query);
  if (Object.hasOwn(windows, kind) && /^\d+$/.test(id ?? "")) {
    const event = windows[kind].find(Number(id));
    // A whole event is asked for without a limit of its bytes.
    return event && (event.wholeBytes === null || query.has("event_bytes")) ? event.text : undefined;
  }
  if (kind === "requests") {
    const request = saved.requests.find(({ rid }) => rid === id);
    return request && JSON.stringify(request);
  }
  if (name === "/api/audit") {
    const table = query.get("table"), row = query.get("key");
    const events = windows.audit.events.filter(({ entries }) => entries.some((entry) => entry.table === table && entry.hasKey(row)));
    return `{"events":[${events.slice(0, Number(query.get("limit"))).map(({ text }) => text).join()}],"next":null}`;
  }
  return undefined;
}

export function savedResponse(path) {
  try {
    const text = answerOf(path);
    if (text !== undefined) return new Response(text);
  } catch (error) {
    return Response.json({ error: error.message }, { status: error.status ?? 500 });
  }
  const noun = nouns[path.split(/[/?]/)[2]] ?? "answer to this";
  return Response.json({ error: `this file has no ${noun}; it is in the collector that the file was saved from` }, { status: 404 });
}
