// Two questions about all events of the store: how often, by which field; and where users drop out of a sequence of events.

import { CountTable, listedRows, readCount } from "./CountTable.js";
import { button, copy, make, put, setText } from "./Element.js";
import { FunnelSteps } from "./FunnelSteps.js";
import { FunnelTable, readFunnel } from "./FunnelTable.js";
import { Filter } from "./Filter.js";
import { frequentKeys } from "./Groups.js";
import { membersOf } from "./JSONText.js";
import { chip, inspector, openOnly } from "./Page.js";
import { Question } from "./Question.js";
import { reportCommand } from "./ReportCommand.js";
import { saved } from "./Saved.js";
import { brief, count, unescaped, visible } from "./Words.js";

const questions = [["", "How often, by what?"], ["funnel", "Where do they drop out?"]];
const units = [["", "user"], ["session", "session"]];
/** Fields that are offered first. */
const usualFields = ["name", "app", "platform", "version", "screen", "user", "session", "status", "device"];
/** Parts of the page's filter by which a value opens the list of events; by others, the question is narrowed. */
const filtered = new Set(["name", "user", "session", "status"]);
/** Conditions that the page's filter has too. */
const shared = [...Filter.names, "since", "until"];
/** Newest events whose attributes are offered, and most of their names. */
const sampledEvents = 500, maxFields = 200;
/** Newest events whose most frequent names are offered as steps, and their number. */
const countedEvents = 5000, maxNames = 8;

/** Fields of the newest events of the page, after the usual ones. */
function fieldsSeen() {
  const found = new Set();
  for (const { json } of inspector.events.slice(-sampledEvents)) {
    const members = new Map(membersOf(json, 200));
    for (const [object, prefix] of [["attributes", "attributes."], ["user", "user."]]) {
      for (const [name] of membersOf(members.get(object) ?? "{}", 200)) if (typeof name === "string" && name !== "" && found.size < maxFields) found.add(prefix + name);
    }
  }
  return [...usualFields, ...[...found].sort()];
}

/** The step with the characters of an event's name. A condition is JSON, which has the same escapes. */
const stepText = (line) => line.trim().replace(/^[^:]*/, unescaped);

export class Explore extends Question {
  constructor() {
    super("explore", {
      question: { label: "question", options: questions },
      by: { label: "by" },
      within: { label: "within", placeholder: "any time, or 1h" },
      per: { label: "per", options: units },
    });
    this.find = this.element("by");
    this.steps = new FunnelSteps((steps, isTyped) => this.narrow({ steps }, isTyped));
    this.addParameter("steps", this.steps);
    this.addParameter("limit");
    this.fields = make("datalist", { id: "fields-seen" });
    this.copyCommand = button("Copy command", () => copy(this.command, "Command"), { title: "Copy the command that gives this answer in a terminal", hidden: Boolean(saved) });
    this.element("head").append(this.fields, this.copyCommand, this.steps.element, this.problem);
    this.element("question").closest("label").classList.add("wide");
    this.element("by").setAttribute("list", this.fields.id);
    this.element("by").addEventListener("focus", () => put(this.fields, fieldsSeen().map((value) => make("option", { value: visible(value) }))));
    const answer = this.element("answer");
    answer.append(this.summary = make("p.answer-summary"), this.counted = make("div", { hidden: true }), this.funnel = make("div", { hidden: true }));
    this.countTable = new CountTable(this.counted, { linkOf: (value) => this.linkOf(value), follow: (value) => this.follow(value), more: (limit) => this.narrow({ limit }) });
    this.funnelTable = new FunnelTable(this.funnel);
  }

  get isFunnel() {
    return this.values.question === "funnel";
  }

  /** Turns to the other question. */
  turn() {
    this.narrow({ question: this.isFunnel ? "" : "funnel" });
  }

  // MARK: Question

  get by() {
    return unescaped(this.values.by.trim());
  }

  /** Steps that are not empty. */
  get stepTexts() {
    return this.values.steps.split("\n").map(stepText).filter(Boolean);
  }

  get path() {
    const { by, isFunnel, stepTexts: step, values: { limit, per, within } } = this;
    if (!isFunnel) return `/api/report/count?${this.query({ by, limit: listedRows(limit) })}`;
    return step.length ? `/api/report/funnel?${this.query({ step, within: within.trim(), per, by })}` : null;
  }

  load(path, options) {
    return path.startsWith("/api/report/funnel") ? readFunnel(path, options) : readCount(path, options);
  }

  /** Command with the same answer. */
  get command() {
    const { by, isFunnel, stepTexts, values: { limit, per, within } } = this;
    const set = Object.fromEntries(this.conditions.map((name) => [name, unescaped(this.values[name])]));
    if (!isFunnel) return reportCommand("count", { by: by || "name", limit: listedRows(limit), ...set });
    // The command has a unit with each duration.
    return reportCommand("funnel", { within: within.trim().replace(/^\d+$/, "$&ms"), per, by, ...set }, stepTexts);
  }

  // MARK: Drawing

  show() {
    const { isFunnel } = this;
    for (const name of ["within", "per"]) this.element(name).closest("label").hidden = !isFunnel;
    this.steps.element.hidden = !isFunnel;
    this.element("by").placeholder = isFunnel ? "no groups" : "name";
    this.copyCommand.disabled = this.path === null;
    super.show();
  }

  drawAnswer(content) {
    if (this.isStale) return;
    const isFunnel = Boolean(content?.steps), isShown = content !== null && !this.isBlank;
    this.counted.hidden = !isShown || isFunnel;
    this.funnel.hidden = this.summary.hidden = true;
    if (!isShown) return;
    if (isFunnel) {
      this.funnel.hidden = false;
      this.funnelTable.show(content, { per: `${this.values.per || "user"}s`, by: this.by, within: this.values.within.trim() });
    } else {
      this.summary.hidden = false;
      this.drawSummary(content);
      this.countTable.show(content);
    }
  }

  /** Numbers of the answer, and its conditions, each with a control that removes it. */
  drawSummary({ events, users }) {
    const parts = [make("span", `${count(events, "event")} of ${count(users, "user")}`), this.narrowing.map(([name, value]) => chip(`${name} ${brief(value, 60)}`, () => this.narrow({ [name]: "" })))];
    const [text] = parts, drawn = make("p", parts);
    if (this.summary.textContent === drawn.textContent) return;
    // Only the numbers change while events arrive.
    if (this.summary.children.length === drawn.children.length && this.summary.firstChild) setText(this.summary.firstChild, text.textContent);
    if (this.summary.textContent !== drawn.textContent) put(this.summary, parts);
  }

  get isBlank() {
    return this.content?.events === 0;
  }

  get hint() {
    const names = frequentKeys(inspector.events.slice(-countedEvents), ({ name }) => name, maxNames);
    return [
      make("p.title", "Name the steps"), make("p", "Each is the name of an event, also with a condition: ", make("code", "purchase:attributes.value == 99.9"), ". Several lines that are pasted become steps."),
      names.length > 0 && make("p.suggestions", names.map((name) => button(brief(name, 40), () => this.addStep(name)))),
    ];
  }

  addStep(name) {
    this.narrow({ steps: `${visible(name)}\n` });
    this.steps.rows.at(-1).field.focus();
  }

  // MARK: Values

  linkOf({ text, type }) {
    const by = this.answered;
    if (text === null || text === "") return null;
    if (filtered.has(by)) return `Show the events with this ${by}`;
    if (this.conditions.includes(by)) return `Count by name with this ${by}`;
    return type === "string" || type === "number" ? "Search the events for this value" : null;
  }

  /** Field of the answer that is shown. */
  get answered() {
    return this.content?.by ?? "name";
  }

  follow({ text, json }) {
    const by = this.answered, value = visible(text);
    if (!filtered.has(by) && this.conditions.includes(by)) return this.narrow({ [by]: value, by: "", limit: "" });
    const kept = Object.fromEntries(this.conditions.filter((name) => shared.includes(name)).map((name) => [name, this.values[name]]));
    // In quotation marks, only a whole text is found.
    openOnly({ ...kept, ...(filtered.has(by) ? { [by]: value } : { text: visible(json) }) });
  }
}
