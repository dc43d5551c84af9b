// Facts that the document contains: the path for events, the app ids, the presence of a plan, and the descriptions of each format and code.

import { $ } from "./Element.js";

export const facts = JSON.parse($("facts").textContent);
