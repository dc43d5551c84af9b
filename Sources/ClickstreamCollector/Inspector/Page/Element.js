// How the page makes its elements. Data reaches the document as text nodes and as values of harmless attributes; there
// is no innerHTML anywhere, and the page's policy would refuse one.

const $ = (id) => document.getElementById(id);

/** Makes an element: make("button.quiet", { onclick: go }, "text", child, [children]). What is null or false is left out. */
function make(selector, ...parts) {
  const [name, ...classes] = selector.split(".");
  const element = document.createElement(name || "div");
  if (classes.length) element.className = classes.join(" ");
  return fill(element, parts);
}

/** The same for SVG. */
function draw(name, ...parts) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), parts);
}

function fill(element, parts) {
  for (const part of parts.flat()) {
    if (part === null || part === undefined || part === false) continue;
    if (part instanceof Node) element.append(part);
    else if (typeof part === "object") set(element, part);
    else element.append(document.createTextNode(String(part)));
  }
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** Takes the place of what an element holds. */
function put(element, ...parts) {
  element.replaceChildren();
  return fill(element, parts);
}

function button(label, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, label);
}

/** Sets text only where it differs, so that a scrolled list costs little. */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let noticeTimer;
/** One line at the bottom, gone after a while. */
function notify(text) {
  say($("notice"), text);
  $("notice").classList.add("shown");
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => $("notice").classList.remove("shown"), 4000);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notify(`${what} is in the clipboard.`);
  } catch {
    notify("The browser does not let this page write to the clipboard.");
  }
}
