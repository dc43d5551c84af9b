// Controls: keys, buttons, the filter form, and the panels that cover the page on a phone.

import { addressChanged, writeAddress } from "./Address.js";
import { closeDialog, collectorKeys, helpDialog, resetDialog } from "./Dialogs.js";
import { $, make, put } from "./Element.js";
import { openExport } from "./Export.js";
import { Filter } from "./Filter.js";
import { currentView, inspector, narrow, openView, redraw, setFilter, setRange, step, touch, views } from "./Page.js";
import { openPersonOf } from "./PersonLink.js";
import { closePopover, connectPopover } from "./Popover.js";
import { windows } from "./Retention.js";
import { saved } from "./Saved.js";
import { isPhone } from "./View.js";

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

/** The panel that covers a phone, the number of those beneath it and itself, and the element that had the focus before. */
let covered = { panel: null, depth: 0, focus: null };
/** Updates the address, and on a phone moves the focus into the panel that covers the page; the rest is inert meanwhile. */
export function panelsChanged() {
  const { activeList, covers } = currentView();
  const shown = isPhone() ? covers.filter((element) => !element.hidden) : [], [cover = null] = shown, before = covered.depth;
  covered.depth = shown.length;
  // Back closes a panel that covers the page.
  if (shown.length > before) step();
  writeAddress(shown.length < before);
  for (const element of document.querySelectorAll(".skip, header.top, nav.bar, .histogram, .split > *")) element.inert = Boolean(cover) && element !== cover;
  if (cover && cover !== covered.panel) {
    Object.assign(covered, { panel: cover, focus: covered.panel ? covered.focus : document.activeElement });
    cover.querySelector("h2")?.focus();
  } else if (!cover && covered.panel) {
    const { focus } = covered;
    Object.assign(covered, { panel: null, focus: null });
    (focus?.isConnected && focus !== document.body ? focus : activeList?.element)?.focus();
  }
}

/** Folds or unfolds a part of the page that is folded on a phone. */
function toggleFold(control, name) {
  const isOpen = document.body.classList.toggle(name);
  control.setAttribute("aria-expanded", isOpen);
}

/** Opens a view by its tab or key. On a phone, a focused field would open the keyboard over the view. */
function openTab({ view }) {
  openView(view);
  if (!isPhone()) currentView().entry?.focus();
}

/** Closes a popover, else leaves a field of a filter, else closes the topmost panel, else clears the filter. */
function escape() {
  if (closePopover()) return;
  if (document.activeElement?.closest?.("#filters, .plan-filters, .question-head")) (currentView().activeList?.element ?? $("main")).focus();
  else if (!currentView().back() && currentView().usesFilter && !inspector.filter.isEmpty) setFilter();
}

function onKey(event, faults) {
  if (event.key === "Escape" && !$("dialog").open) return escape();
  if (event.ctrlKey || event.metaKey || event.altKey || $("dialog").open) return;
  if (event.target.closest?.("input, select, textarea")) return;
  const { activeList: list, compare, find = $("filter-text") } = currentView();
  const act = {
    j: () => list?.step(1), k: () => list?.step(-1), g: () => list?.step(-Infinity), G: () => { list?.scrollToEnd(); list?.step(Infinity); },
    "/": () => { document.body.classList.add("filters-open"); find.focus(); },
    p: pause, x: () => openExport(), f: () => faults.open(), t: turnTheme, "?": helpDialog,
    b: () => currentView().usesFilter && narrow({ status: inspector.filter.status === "bad" ? "" : "bad" }),
    c: () => compare && list.selected && currentView().compare(list.selected),
    y: () => currentView().panel?.copyAs?.(),
    e: () => (inspector.view === "explore" ? currentView().turn() : openView("explore")),
    u: () => openPersonOf(currentView().panel?.event ?? list?.selected) || openView("person"),
    s: () => compare && list.selected?.session && views.get("sessions").openOf(list.selected),
    ...Object.fromEntries([...document.querySelectorAll("#tabs [role=tab]")].map((tab, index) => [index + 1, () => openTab(tab.dataset)])),
  }[event.key];
  if (!act || (saved && collectorKeys.includes(event.key))) return;
  event.preventDefault();
  act();
}

/** @param faults the dialog of the faults */
export function connectControls(faults) {
  $("pause").addEventListener("click", pause);
  $("export").addEventListener("click", () => openExport());
  $("faults").addEventListener("click", () => faults.open());
  $("reset").addEventListener("click", () => resetDialog(inspector.summary, windows.captured.total, windows.audit.total));
  $("theme").addEventListener("click", turnTheme);
  $("help").addEventListener("click", helpDialog);
  $("menu").addEventListener("click", () => toggleFold($("menu"), "tools-open"));
  $("unfold").addEventListener("click", () => toggleFold($("unfold"), "filters-open"));
  $("clear").addEventListener("click", () => setFilter());
  $("dialog").addEventListener("click", (event) => { if (event.target === $("dialog")) closeDialog(); });
  connectPopover("more-fields");
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("input", (event) => {
    const field = event.target.id.replace("filter-", "");
    if (event.target.name === "status") narrow({ status: event.target.value });
    else if (Filter.names.includes(field)) narrow({ [field]: event.target.value }, event.target !== $("filter-code"));
    else setRange(...["since", "until"].map((end) => ($(`filter-${end}`).value ? new Date($(`filter-${end}`).value).getTime() : null)));
  });
  for (const list of document.querySelectorAll("[role=tablist]")) {
    list.addEventListener("click", (event) => event.target.dataset.view && openTab(event.target.dataset));
    list.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], tabs = [...list.children];
      if (!by) return;
      const tab = tabs[(tabs.indexOf(event.target) + by + tabs.length) % tabs.length];
      openView(tab.dataset.view);
      tab.focus();
    });
  }
  document.addEventListener("keydown", (event) => onKey(event, faults));
  window.addEventListener("hashchange", addressChanged);
  window.addEventListener("resize", () => { for (const { lists } of views.values()) for (const list of lists) list.resized(); panelsChanged(); redraw(); });
}
