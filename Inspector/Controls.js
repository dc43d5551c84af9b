// Controls: keys, buttons, the filter form, and the panels that cover the page on a phone.

import { readAddress, writeAddress } from "./Address.js";
import { closeDialog, helpDialog, resetDialog } from "./Dialogs.js";
import { $, make, put } from "./Element.js";
import { openExport } from "./Export.js";
import { Filter } from "./Filter.js";
import { actions, audit, captured, clearFilter, closePanel, drawFollow, faults, inspector, list, narrow, openView, panel, plan, requests, sessions, touch, viewDrawn, views } from "./Inspector.js";
import { windows } from "./Retention.js";

function pause() {
  inspector.isPaused = !inspector.isPaused;
  $("pause").setAttribute("aria-pressed", inspector.isPaused);
  document.body.classList.toggle("paused", inspector.isPaused);
  touch();
}

export const themes = ["auto", "light", "dark"];
export function setTheme(theme) {
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
  put($("theme"), make("span.only-wide", "Theme: "), theme);
  try { localStorage.setItem("theme", theme); } catch { /* Without storage, the theme lasts as long as the page. */ }
  $("theme").dataset.theme = theme;
}
const turnTheme = () => setTheme(themes[(themes.indexOf($("theme").dataset.theme) + 1) % 3]);
export const readTheme = () => { try { return localStorage.getItem("theme"); } catch { return null; } };

export const isPhone = () => matchMedia("(max-width: 760px)").matches;

/** The panel that covers the page on a phone, or null. */
function coveringPanel() {
  if (!isPhone()) return null;
  const candidates = { events: [$("event-panel")], sessions: [$("session-event"), $("session-panel").classList.contains("open") ? $("session-panel") : null], captured: [$("captured-event"), $("captured-side"), $("captured-panel")].filter((element) => element.id === "captured-event" || element.classList.contains("open")), requests: [$("request-panel")], audit: [$("audit-panel")], plan: [$("plan-panel")] }[inspector.view] ?? [];
  return candidates.find((element) => element && !element.hidden) ?? null;
}

let covered = { panel: null, focus: null };
/** Updates the address, and on a phone moves the focus into the panel that covers the page; the rest is inert meanwhile. */
export function panelsChanged() {
  writeAddress();
  const cover = coveringPanel();
  for (const element of document.querySelectorAll(".skip, header.top, nav.bar, .histogram, .split > *")) element.inert = Boolean(cover) && element !== cover;
  if (cover && cover !== covered.panel) {
    covered = { panel: cover, focus: covered.panel ? covered.focus : document.activeElement };
    cover.querySelector("h2")?.focus();
  } else if (!cover && covered.panel) {
    const { focus } = covered;
    covered = { panel: null, focus: null };
    (focus?.isConnected && focus !== document.body ? focus : activeList()?.element)?.focus();
  }
}

/** Folds or unfolds a part of the page that is folded on a phone. */
function toggleFold(control, name) {
  const isOpen = document.body.classList.toggle(name);
  control.setAttribute("aria-expanded", isOpen);
}

/** Closes the topmost panel, else clears the filter. */
function escape() {
  if (document.activeElement?.closest?.("#filters, .plan-filters")) return (activeList()?.element ?? $("main")).focus();
  if (inspector.view === "requests" && !requests.panel.hidden) { requests.close(); panelsChanged(); return requests.list.element.focus(); }
  if (inspector.view === "sessions" && !sessions.event.host.hidden) { sessions.closeEvent(); return panelsChanged(); }
  if (inspector.view === "sessions" && sessions.panel.classList.contains("open") && isPhone()) { sessions.close(); return panelsChanged(); }
  if (inspector.view === "captured" && captured.back()) return panelsChanged();
  if (inspector.view === "audit" && audit.back()) { panelsChanged(); return audit.list.element.focus(); }
  if (inspector.view === "plan" && plan.back()) { panelsChanged(); return plan.list.element.focus(); }
  if (inspector.view === "events" && !panel.host.hidden) { closePanel(); return list.element.focus(); }
  if (!inspector.filter.isEmpty) clearFilter();
}

const activeList = () => ({ events: list, sessions: sessions.list, requests: requests.list, captured: captured.activeList, audit: audit.list, plan: plan.list })[inspector.view];

function onKey(event) {
  if (event.key === "Escape" && !$("dialog").open) return escape();
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog").open) return;
  if (event.target.closest?.("input, select, textarea")) return;
  const act = {
    j: () => activeList()?.step(1), k: () => activeList()?.step(-1),
    g: () => activeList()?.step(-Infinity), G: () => { activeList()?.scrollToEnd(); activeList()?.step(Infinity); },
    "/": () => { document.body.classList.add("filters-open"); $(inspector.view === "plan" ? "plan-find" : "filter-text").focus(); },
    p: pause, x: openExport, f: () => faults.open(), t: turnTheme, "?": helpDialog,
    b: () => narrow({ status: inspector.filter.status === "bad" ? "" : "bad" }),
    c: () => inspector.view === "events" && list.selected && actions.compare(list.selected),
    s: () => inspector.view === "events" && list.selected?.session && actions.openSession(list.selected),
    1: () => openView("events"), 2: () => openView("sessions"), 3: () => openView("screens"), 4: () => openView("requests"), 5: () => openView("captured"), 6: () => openView("audit"), 7: () => openView("plan"),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

export function connectControls() {
  $("pause").addEventListener("click", pause);
  $("export").addEventListener("click", openExport);
  $("faults").addEventListener("click", () => faults.open());
  $("reset").addEventListener("click", () => resetDialog(inspector.summary, windows.captured.total, windows.audit.total));
  $("theme").addEventListener("click", turnTheme);
  $("help").addEventListener("click", helpDialog);
  $("menu").addEventListener("click", () => toggleFold($("menu"), "tools-open"));
  $("unfold").addEventListener("click", () => toggleFold($("unfold"), "filters-open"));
  $("clear").addEventListener("click", clearFilter);
  $("follow").addEventListener("click", () => { list.scrollToEnd(); list.leftAt = null; drawFollow(); });
  $("dialog").addEventListener("click", (event) => { if (event.target === $("dialog")) closeDialog(); });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("input", (event) => {
    const field = event.target.id.replace("filter-", "");
    if (event.target.name === "status") narrow({ status: event.target.value });
    else if (Filter.names.includes(field)) narrow({ [field]: event.target.value });
  });
  document.querySelector(".tabs").addEventListener("click", (event) => event.target.dataset.view && openView(event.target.dataset.view));
  document.querySelector(".tabs").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    openView(views[(views.indexOf(inspector.view) + by + views.length) % views.length]);
    $(`tab-${inspector.view}`).focus();
  });
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", readAddress);
  window.addEventListener("resize", () => { viewDrawn.size = -1; for (const each of [list, sessions.list, requests.list, captured.list, captured.rows, audit.list, plan.list]) each.resized(); panelsChanged(); touch(); });
}
