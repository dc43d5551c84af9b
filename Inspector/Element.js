// Element construction. Data reaches the document as text nodes and attribute values only: there is no innerHTML, and
// the content security policy would reject it. Every text and every displayed attribute passes through `visible`, so that
// control and bidirectional characters are escaped in one place.

import { brief, visible } from "./Words.js";

export const $ = (id) => document.getElementById(id);

/** Attributes that a browser displays or a screen reader announces. */
const displayedAttributes = new Set(["title", "aria-label", "placeholder", "label", "alt"]);

/** New HTML element: make("button.quiet", { onclick: go }, "text", child, [children]). Null, undefined and false parts are skipped. */
export function make(selector, ...parts) {
  const [name, ...classes] = selector.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  return fill(element, parts);
}

/** New SVG element with the same parts. */
export function draw(name, ...parts) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), parts);
}

/** Appends parts, nested to any depth. */
export function fill(element, parts) {
  for (const part of parts.flat(Infinity)) {
    if (part === null || part === undefined || part === false) continue;
    if (part instanceof Node) element.append(part);
    else if (typeof part === "object") set(element, part);
    else element.append(document.createTextNode(visible(String(part))));
  }
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, displayedAttributes.has(name) ? visible(String(value)) : value);
  }
}

/** Replaces the content of an element. */
export function put(element, ...parts) {
  element.replaceChildren();
  return fill(element, parts);
}

export function button(label, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, label);
}

/** Sets the text if it differs, so that scrolling a list causes few mutations. */
export function setText(element, text) {
  const shown = visible(text);
  if (element.textContent !== shown) element.textContent = shown;
}

/** Sets the tooltip if it differs. */
export function setTitle(element, text) {
  const shown = visible(text);
  if (element.title !== shown) element.title = shown;
}

/** Words and signs of severities: no severity is recognized by its colour alone. */
export const severityWords = { bad: "bad", warned: "with warnings" };
export const severitySigns = { bad: "!", warned: "\u25b3" };

/** Marks a row by the severity of its findings: colour and sign. */
export function showSeverity(row, sign, severity) {
  for (const each of Object.keys(severitySigns)) row.classList.toggle(each, severity === each);
  setText(sign, severitySigns[severity] ?? "");
  setTitle(sign, severityWords[severity] ?? "");
}

let noticeTimer;
/** Shows one line at the bottom of the page for four seconds. */
export function notify(text) {
  setText($("notice"), brief(text, 300));
  $("notice").classList.add("shown");
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => $("notice").classList.remove("shown"), 4000);
}

export async function copy(text, noun) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${noun} copied.`);
  } catch {
    notify("The browser denies this page access to the clipboard.");
  }
}

/** Lets the browser save parts, texts or blobs, as a file. */
export function save(parts, name, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

let release = Promise.resolve();
document.addEventListener("pointerdown", ({ button, target }) => {
  if (button !== 0 || !target.closest?.("button, [role=option], [role=button], .node")) return;
  release = new Promise((resolve) => {
    const press = new AbortController();
    const end = () => { press.abort(); resolve(); };
    // The click follows the end of the press. If the browser does not report that end, drawing continues after five seconds.
    for (const type of ["pointerup", "pointercancel"]) document.addEventListener(type, () => setTimeout(end), { capture: true, signal: press.signal });
    setTimeout(end, 5000);
  });
}, true);
/** Resolves when no control is pressed: one that a drawing replaced or moved between press and release would get no click, or that of another. */
export const released = () => release;
