// A question to the collector: a view whose content is an answer of the query API, about all events of the store, or of a saved file.

import { readText } from "./Collector.js";
import { $, button, make, put, setText } from "./Element.js";
import { currentView, inspector, redraw, touch } from "./Page.js";
import { saved } from "./Saved.js";
import { View } from "./View.js";
import { brief, count, number, unescaped, visible } from "./Words.js";

/** Conditions of the query API. They compare whole values; the times are those of receipt. */
const conditions = ["name", "app", "platform", "version", "device", "user", "session", "screen", "status", "code", "since", "until"];
/** What a field offers or shows while it is empty. */
const hints = { name: { list: "names" }, user: { list: "users" }, since: { placeholder: "2026-01-31T08:00Z" }, until: { placeholder: "2026-01-31T09:00Z" } };
const verdicts = [["", "good and bad"], ["good", "good"], ["bad", "bad"]];
/** Milliseconds from typing in a field to the reading, and the fewest between two readings while events arrive. */
const typingPause = 300, arrivalPause = 1000;

/** A labelled field, or a select with options [value, text]. */
function field(id, label, { options, ...attributes }) {
  const control = options ? make("select", { id, ...attributes }) : make("input", { id, type: "search", autocomplete: "off", spellcheck: "false", ...attributes });
  return make("label.question-field", make("span", label), control);
}

/** Puts the fields of a question into its head. Returns the controls of the view. */
function makeFields(name, own, narrowing) {
  const optionsOf = { ...Object.fromEntries(Object.entries(own).map(([control, { options }]) => [control, options ?? null])), ...Object.fromEntries(narrowing.map((control) => [control, control === "status" ? verdicts : null])) };
  put($(`${name}-head`),
    Object.entries(own).map(([control, { label, ...attributes }]) => field(`${name}-${control}`, label, { ...attributes, options: attributes.options?.length > 0 })),
    narrowing.length > 0 && make("details.conditions", make("summary", { id: `${name}-conditions` }, "Filter"),
      make("div.fields-of-conditions", narrowing.map((control) => field(`${name}-${control}`, control, { ...hints[control], options: control === "status" })))));
  return optionsOf;
}

export class Question extends View {
  usesFilter = false;
  group = "questions";
  /** The answer; null before the first. */
  content = null;
  /** Message of the last reading, if it failed; and true if the collector refused the question, which it will do again. */
  failure = null;
  isRefused = false;
  /** True while the answer is that of the question before, until that of the present one is there. */
  isStale = false;
  /** Path that was asked last, the revision of the answer, and milliseconds that the answer took. */
  asked = null;
  askedAt = 0;
  askedEvents = -1;
  took = 0;
  reading = null;
  /** Controls of the values that no field has, by their names. */
  added = new Map();

  /**
   * @param own by name, the fields of the question: `label`, possibly `options`, and attributes of the field
   * @param without conditions that the question does not have
   */
  constructor(name, own, without = []) {
    const narrowing = conditions.filter((condition) => !(condition in own) && !without.includes(condition));
    super(name, name, makeFields(name, own, narrowing));
    this.conditions = narrowing;
    this.find = this.element(Object.keys(own)[0] ?? "conditions");
    this.problem = make("p.problem", { id: `${name}-problem`, role: "status", hidden: true });
    this.element("head").append(this.problem, this.scope = make("p.question-scope", { hidden: !saved }));
  }

  /** Adds a value of the address that no field has. @param control object with the `value`, as a field is one */
  addParameter(name, control = { value: "" }) {
    this.controls.push(name);
    this.values[name] = "";
    this.added.set(name, control);
  }

  // The constructor of `View` reads the fields before there are other controls.
  element(end) {
    return this.added?.get(end) ?? super.element(end);
  }

  /** Path of the query API with the answer; null while the question is not complete. */
  get path() {
    return null;
  }

  /** Value that differs if the answer may differ: the number of events in the store. */
  get revision() {
    return inspector.summary?.events ?? -1;
  }

  /** Query of a path: values by name, and the conditions that are set. Values that are empty or null are left out; of an array, each is one. */
  query(values = {}) {
    const all = Object.entries({ ...Object.fromEntries(this.conditions.map((name) => [name, unescaped(this.values[name])])), ...values });
    return new URLSearchParams(all.flatMap(([name, value]) => [value].flat().filter((each) => each !== "" && each !== null).map((each) => [name, each]))).toString();
  }

  // MARK: Controls

  // Fields have escapes in place of invisible characters, as displayed; the collector compares the characters.
  narrow(values, isTyped) {
    super.narrow(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, visible(String(value ?? ""))])), isTyped);
  }

  choose(values) {
    super.choose(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, visible(value)])));
  }

  /** The conditions; the other controls are the question itself. */
  get narrowing() {
    return super.narrowing.filter(([name]) => this.conditions.includes(name));
  }

  // MARK: Reading

  /** Reads the answer. */
  async load(path, options) {
    return JSON.parse(await readText(path, options));
  }

  /**
   * Reads the answer if the question has changed, or else if events have arrived, at most once per second and for a tenth of the time:
   * a question about a million events takes one.
   */
  read() {
    const { path } = this, events = this.revision, now = performance.now();
    if (path === null) return this.forget();
    const isNew = path !== this.asked;
    if (!isNew && (this.reading || (inspector.isPaused && this.content) || (events === this.askedEvents && (!this.failure || this.isRefused)))) return;
    if (isNew && path !== this.typed) {
      this.typed = path;
      this.typedAt = this.asked !== null && document.activeElement?.matches("input") ? now : -Infinity;
    }
    const wait = isNew ? this.typedAt + typingPause - now : this.askedAt + Math.max(arrivalPause, 10 * this.took) - now;
    if (wait > 0) return void setTimeout(() => currentView() === this && (isNew ? this.read() : redraw()), wait);
    this.start(path, events);
  }

  async start(path, events) {
    this.reading?.abort();
    const reading = new AbortController(), began = performance.now(), isNew = path !== this.asked;
    if (isNew) Object.assign(this, { isStale: this.content !== null, failure: null });
    Object.assign(this, { reading, asked: path, askedEvents: events });
    this.drawState();
    let content = null, failure = null, isRefused = false;
    try {
      content = await this.load(path, { signal: reading.signal });
    } catch (error) {
      failure = error.message;
      isRefused = error.status === 400;
    }
    if (this.reading !== reading) return;
    const askedAt = performance.now();
    Object.assign(this, { reading: null, failure, isRefused, content: content ?? (this.isStale ? null : this.content), isStale: false, askedAt, took: askedAt - began, version: this.version + 1 });
    if (isNew) redraw(true);
    else touch();
  }

  /** Forgets the answer, and the one that is being read. */
  forget() {
    this.reading?.abort();
    Object.assign(this, { reading: null, asked: null, typed: null, content: null, failure: null, isStale: false });
  }

  /** The answer, and a reply that is on its way, are those of the store before. */
  reset() {
    super.reset();
    this.forget();
    this.version++;
  }

  // MARK: Selection

  /** Shows the event of an address, which is read from the collector. */
  showWanted(event) {
    if (!this.panel.isShown(event)) this.panel.show(event);
  }

  selectWanted() {
    if (this.panel?.isShown?.({ sequence: inspector.wanted })) inspector.wanted = null;
  }

  // MARK: Drawing

  get stamp() {
    return [this.version, inspector.isPaused, inspector.summary?.events];
  }

  /** Number of the conditions that are set. */
  get narrowed() {
    return this.conditions.filter((name) => this.values[name]).length;
  }

  show() {
    this.read();
    if (saved) setText(this.scope, this.scopeText);
    if (this.conditions.length) setText(this.element("conditions"), this.narrowed ? `Filter (${this.narrowed})` : "Filter");
    this.drawAnswer(this.content);
    this.drawState();
  }

  /** Events of a saved file, which its answers are about. */
  get scopeText() {
    const { held, total } = this.retention;
    return held < total ? `About the newest ${number(held)} of ${count(total, "event")}, which are in this file.` : `About the ${count(held, "event")} in this file.`;
  }

  /** Draws a failure: beside the answer that it leaves, else in its place; a refusal beside the question. */
  drawState() {
    const { content, failure } = this, isBeside = failure !== null && (this.isRefused || content !== null);
    $(`view-${this.name}`).setAttribute("aria-busy", this.isStale);
    this.problem.hidden = !isBeside;
    const parts = isBeside ? [brief(`${failure}.`, 600), !this.isRefused && [" The answer is the one before. ", button("Retry now", () => this.retry(), { class: "link" })]] : [];
    if (make("p", parts).textContent !== this.problem.textContent) put(this.problem, parts);
    this.showState(isBeside || (content && !this.isBlank));
  }

  retry() {
    this.askedAt = -Infinity;
    redraw();
  }

  /** Draws an answer; null for none. */
  drawAnswer(content) {}

  /** True if the answer has nothing to draw. */
  get isBlank() {
    return false;
  }

  /** Parts in place of a question that is not complete, and of an answer without content. */
  get hint() {
    return null;
  }

  get none() {
    return [make("p.title", this.narrowed || inspector.summary?.events ? "No event matches." : saved ? "This file has no event." : "The store has no events yet."), this.narrowed > 0 && button("Clear filter", () => this.narrow(Object.fromEntries(this.conditions.map((name) => [name, ""]))), { class: "primary" })];
  }

  stateParts() {
    if (this.asked === null && this.path === null) return this.hint;
    if (this.failure) return [make("p.title", saved ? "No answer" : "The collector did not answer the question"), make("p", `${this.failure}.`), !saved && button("Retry now", () => this.retry(), { class: "primary" })];
    if (!this.content) return [make("p.title", "Reading\u2026")];
    return this.isBlank ? this.none : null;
  }
}
