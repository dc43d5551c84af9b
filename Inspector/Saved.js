// Content of a saved file, which is shown without a collector.

import { $ } from "./Element.js";

/**
 * Null on the page of a collector. `lists`: for each list its rows, as JSON texts in the order of arrival, and `total`, the number of
 * events of which these are the newest; `requests`; `answers` of the collector by path; `summary`; `omitted`: what was left out, in
 * sentences; `time` of saving; `source`: address, and `version` of the collector; `address`: fragment of the page's address.
 */
export const saved = JSON.parse($("saved")?.textContent ?? "null");
$("saved")?.remove();
