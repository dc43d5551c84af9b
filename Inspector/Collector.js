// Requests to the collector. Behind a proxy that adds a prefix, the prefix is the path of the page. A saved file answers them itself.

import { saved } from "./Saved.js";
import { savedResponse } from "./SavedAnswers.js";

/** URL of the collector, of a saved file that from which it was saved. The page's own path may end with a slash or not. */
const base = (saved?.source ?? location.origin + location.pathname).replace(/\/*$/, "");
/** URL of a path of the collector, such as "/api/summary". */
export const urlOf = (path) => base + path;

/** Response of the collector to a path. */
export const sendRequest = async (path, options = {}) => (saved ? savedResponse(path) : fetch(urlOf(path), { cache: "no-store", ...options }));

/** Path of the timeline of a session; its app is null for none. */
export const timelinePath = (id, app) => `/api/sessions/${encodeURIComponent(id)}${app === null ? "" : `?app_id=${encodeURIComponent(app)}`}`;

/** Response body as text. Throws an error with the collector's message and the status. */
export async function readText(path, options) {
  const response = await sendRequest(path, options);
  if (!response.ok) throw Object.assign(new Error(await messageOf(response)), { status: response.status });
  return response.text();
}

/** The collector's message of a refusal, or the status. */
export async function messageOf(response) {
  try {
    return (await response.json()).error ?? `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}
