// Counters of the header: numbers of the store, each a link to what it counts.

import { $, make, put, setText } from "./Element.js";
import { openOnly, openView, views } from "./Page.js";
import { openPerson } from "./PersonLink.js";
import { number } from "./Words.js";

/** Opens the list of the requests without a filter, narrowed to a remark. */
function openRequests(remark = "") {
  openOnly({}, "requests");
  views.get("requests").narrow({ form: "", remark });
}

/** Opens all crashes. */
function openCrashes() {
  views.get("crashes").clear();
  openView("crashes");
}

/**
 * Counters by their labels: the target in words, its address for another tab, and its opening in this one, which keeps the order and the
 * columns of lists.
 */
const counters = {
  events: { title: "Events without a filter", address: "#events", open: () => openOnly() },
  bad: { title: "Bad events", address: "#events?status=bad", isBad: true, open: () => openOnly({ status: "bad" }) },
  duplicates: { title: "Requests with duplicates", address: "#requests?remark=duplicates", open: () => openRequests("duplicates") },
  sessions: { title: "Sessions without a filter", address: "#sessions", open: () => openOnly({}, "sessions") },
  users: { title: "Users, with what each has done", address: "#person", open: () => openPerson("") },
  requests: { title: "Requests", address: "#requests", open: () => openRequests() },
  unreadable: { title: "Unreadable requests", address: "#requests?remark=unreadable", isBad: true, open: () => openRequests("unreadable") },
  crashes: { title: "What happened before each crash", address: "#crashes", isBad: true, isOptional: true, open: openCrashes },
  captured: { title: "Captured sessions without a filter", address: "#captured", isOptional: true, open: () => openOnly({}, "captured") },
  audit: { title: "Audit events without a filter", address: "#audit", isOptional: true, open: () => openOnly({}, "audit") },
};

function follow(event, open) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
}

/**
 * Shows the numbers in the links, which are made once: one that is focused or pressed stays the same.
 *
 * @param numbers by label  @param partial labels of numbers that the store may exceed
 */
export function showCounters(numbers, partial) {
  const list = $("counters");
  if (!list.firstChild) {
    put(list, Object.entries(counters).map(([label, { title, address, open }]) =>
      make("li", { "data-counter": label }, make("a", { href: address, title, onclick: (event) => follow(event, open) }, make("strong"), make("span")))));
  }
  // The header has no place for numbers that are 0 beside that of the crashes.
  list.classList.toggle("crowded", numbers.crashes > 0);
  for (const [index, [label, { isBad, isOptional }]] of Object.entries(counters).entries()) {
    const item = list.children[index], [link] = item.children, n = numbers[label], isPart = partial.includes(label);
    const noun = n === 1 && !isPart ? label.replace(/(?<=sh)es$|s$/, "") : label, text = `${number(n)}${isPart ? "+" : ""}`;
    item.hidden = Boolean(isOptional && !n);
    item.classList.toggle("bad", Boolean(isBad && n));
    item.classList.toggle("zero", n === 0 && label !== "bad");
    setText(link.firstChild, text);
    setText(link.lastChild, noun);
    link.setAttribute("aria-label", `${text} ${noun}`);
  }
}
