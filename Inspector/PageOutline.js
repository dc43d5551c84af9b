// Outline of a page: a frame in the proportions of the screen with taps and long presses as marks, moves and swipes as
// arrows, and the scroll depth at its edge.

import { draw, severityWords } from "./Element.js";
import { severityOf } from "./Event.js";
import { brief, count, number } from "./Words.js";

const mostFrame = { width: 172, height: 336, across: 300 };
/** Marks that are drawn on one page, and swipes without a position. */
export const mostPageMarks = 200, mostSwipes = 24;
/** Swipes of one orientation up to which each has a label with its velocity. */
const mostSwipeLabels = 3;
/** Taps up to which each has a number, in the order of time. */
const mostNumbers = 60;

export const limited = (value, low, high) => Math.min(high, Math.max(low, value));

/** Line with an arrowhead. */
function arrow(x, y, toX, toY, width) {
  const angle = Math.atan2(toY - y, toX - x), head = 5 + width;
  const wing = (turn) => `${(toX - head * Math.cos(angle + turn)).toFixed(1)} ${(toY - head * Math.sin(angle + turn)).toFixed(1)}`;
  return [
    draw("path", { d: `M${x.toFixed(1)} ${y.toFixed(1)}L${toX.toFixed(1)} ${toY.toFixed(1)}`, class: "shaft", "stroke-width": width }),
    draw("path", { d: `M${wing(0.5)}L${toX.toFixed(1)} ${toY.toFixed(1)}L${wing(-0.5)}`, class: "shaft", "stroke-width": width }),
  ];
}

export class PageOutline {
  /**
   * @param screen size in logical pixels, and `isComputer`: see `screenOf`
   * @param options `select(event)`, called for a click on a mark; `register(event, element)` for each mark; `most` marks are drawn
   */
  constructor(title, events, screen, options) {
    this.options = options;
    const scale = Math.min((screen.width > screen.height ? mostFrame.across : mostFrame.width) / screen.width, mostFrame.height / screen.height);
    this.scale = scale;
    this.width = Math.max(90, screen.width * scale);
    this.height = Math.max(90, screen.height * scale);
    const scrolls = events.filter((event) => event.scroll);
    const down = scrolls.filter((event) => !event.scroll.isAcross), across = scrolls.filter((event) => event.scroll.isAcross);
    const bezel = 7;
    this.left = this.top = bezel + 1;
    const total = { width: this.width + 2 * this.left + (down.length ? 56 : 0), height: this.height + 2 * this.top + (across.length ? 30 : 0) };
    this.marks = [];
    const located = events.filter((event) => event.mark?.x !== undefined);
    const swipes = events.filter((event) => event.mark && event.mark.x === undefined);
    this.element = draw("svg", {
      viewBox: `0 0 ${total.width} ${total.height}`, width: total.width, height: total.height, class: "outline", role: "group",
      "aria-label": `${title}: ${count(located.length + swipes.length, "gesture")}, ${count(scrolls.length, "scroll")}`,
      onkeydown: (event) => this.key(event),
    },
      draw("rect", { x: 1, y: 1, width: this.width + 2 * bezel, height: this.height + 2 * bezel, rx: screen.isComputer ? 3 : 16, class: "bezel" }),
      draw("rect", { x: this.left, y: this.top, width: this.width, height: this.height, rx: screen.isComputer ? 1 : 9, class: "glass" }));
    if (!located.length && !swipes.length) {
      this.element.append(draw("text", { x: this.left + this.width / 2, y: this.top + this.height / 2, "text-anchor": "middle", class: "outline-note" }, events[0]?.format.hasPositions === false ? "no swipes" : "no gestures"));
    }
    this.isNumbered = located.length <= mostNumbers;
    located.slice(0, options.most).forEach((event, index) => this.drawLocated(event, index + 1));
    this.drawSwipes(swipes.slice(0, mostSwipes));
    if (down.length) this.drawDepth(down, false);
    if (across.length) this.drawDepth(across, true);
    if (this.marks.length) this.marks[0].setAttribute("tabindex", 0);
    /** Gestures without a mark: beyond the limits. */
    this.omitted = Math.max(0, located.length - options.most) + Math.max(0, swipes.length - mostSwipes);
  }

  /** Adds a mark, which opens its event, and returns its element. */
  mark(event, kind, text, ...parts) {
    const severity = severityOf(event);
    const label = brief(`${text}${severity && `, ${severityWords[severity]}`}`);
    const element = draw("g", {
      class: `touch-mark ${kind} ${severity}`, role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false",
      onclick: () => { this.focusOn(element); this.options.select(event); },
    }, draw("title", label), parts);
    this.marks.push(element);
    this.options.register(event, element);
    this.element.append(element);
    return element;
  }

  /** Place in the frame of a position on the screen. A position outside of the screen is drawn at its edge. */
  place(x, y) {
    return [this.left + limited(x * this.scale, 0, this.width), this.top + limited(y * this.scale, 0, this.height)];
  }

  drawLocated(event, place) {
    const { mark } = event;
    const [x, y] = this.place(mark.x, mark.y);
    if (mark.kind === "move") {
      const [toX, toY] = this.place(mark.toX, mark.toY);
      const text = `${this.isNumbered ? `${place}: ` : ""}move from ${mark.x}, ${mark.y} to ${mark.toX}, ${mark.toY} on ${mark.label}`;
      return this.mark(event, "move", text, draw("path", { d: `M${x} ${y}L${toX} ${toY}`, class: "reach" }), arrow(x, y, toX, toY, 2.5),
        this.isNumbered ? [draw("circle", { cx: x, cy: y, r: 8.5, class: "point" }), draw("text", { x, y: y + 3.5, class: "touch-number", "text-anchor": "middle" }, `${place}`)] : draw("circle", { cx: x, cy: y, r: 3, class: "point" }));
    }
    const r = this.isNumbered ? 8.5 : 6;
    const text = `${this.isNumbered ? `${place}: ` : ""}${mark.kind} at ${mark.x}, ${mark.y} on ${mark.label}${mark.fingers > 1 ? `, ${mark.fingers} fingers` : ""}`;
    this.mark(event, mark.kind === "tap" ? "tap" : "press", text,
      draw("circle", { cx: x, cy: y, r: r + 6, class: "reach" }),
      mark.kind === "tap" ? null : draw("circle", { cx: x, cy: y, r: r + 3, class: "ring" }),
      draw("circle", { cx: x, cy: y, r, class: "point" }),
      this.isNumbered && draw("text", { x, y: y + 3.5, class: "touch-number", "text-anchor": "middle" }, `${place}`),
      mark.fingers > 1 && draw("text", { x: x + r + 4, y: y - 6, class: "fingers" }, count(limited(Math.round(mark.fingers), 2, 99), "finger")));
  }

  /** Swipes without a position: side by side in the order of time, vertical ones above horizontal ones. */
  drawSwipes(events) {
    const kinds = [["up", "down"], ["left", "right"], ["complex", null]].map((kinds) => events.filter((event) => kinds.includes(event.mark.direction)));
    const shares = [1.6, 1, 0.6];
    const total = kinds.reduce((sum, list, index) => sum + (list.length ? shares[index] : 0), 0);
    let top = this.top;
    kinds.forEach((list, index) => {
      if (!list.length) return;
      const height = (this.height * shares[index]) / total;
      list.forEach((event, at) => this.drawSwipe(event, index, { top, height, at, size: list.length }));
      top += height;
    });
  }

  drawSwipe(event, kind, { top, height, at, size }) {
    const { direction, distance, velocity, label } = event.mark;
    const width = 1.5 + limited(velocity / 400, 0, 4.5);
    const text = `${event.mark.kind} ${direction ?? "in no direction"}, ${number(distance)} dp at ${number(velocity)} dp/s on ${label}`;
    const isLabelled = size <= mostSwipeLabels;
    const note = (x, y, anchor) => isLabelled && draw("text", { x, y, class: "speed", "text-anchor": anchor }, `${number(velocity)} dp/s`);
    if (kind === 2) {
      const step = this.width / (size + 1), x = this.left + step * (at + 1), y = top + height / 2, r = limited(Math.min(step / 3, height / 5), 4, 13);
      return this.mark(event, "swipe", text, draw("circle", { cx: x, cy: y, r: r + 4, class: "reach" }),
        draw("path", { d: `M${x - r} ${y}C${x - r} ${y - 1.6 * r} ${x + r} ${y - 1.6 * r} ${x + r} ${y}S${x - r} ${y + 1.5 * r} ${x - r} ${y + r / 2}`, class: "shaft", "stroke-width": width }), note(x, Math.min(top + height - 4, y + 1.6 * r + 12), "middle"));
    }
    const isVertical = kind === 0;
    const room = (isVertical ? height : this.width) - 56;
    const length = limited(distance * this.scale, 16, Math.max(16, room));
    const sign = direction === "down" || direction === "right" ? 1 : -1;
    if (isVertical) {
      const x = this.left + (this.width * (at + 1)) / (size + 1), y = top + height / 2 - (sign * length) / 2;
      return this.mark(event, "swipe", text, draw("path", { d: `M${x} ${y}v${sign * length}`, class: "reach" }), arrow(x, y, x, y + sign * length, width),
        note(x, Math.min(top + height - 4, top + height / 2 + length / 2 + 14 + (at % 2) * 12), "middle"));
    }
    const y = top + (height * (at + 1)) / (size + 1), x = this.left + this.width / 2 - (sign * length) / 2;
    return this.mark(event, "swipe", text, draw("path", { d: `M${x} ${y}h${sign * length}`, class: "reach" }), arrow(x, y, x + sign * length, y, width),
      note(this.left + this.width / 2, y + width / 2 + 12, "middle"));
  }

  /** Bar at the right or lower edge, filled to the greatest depth; each scroll is a line at its own. */
  drawDepth(events, isAcross) {
    const depth = events.reduce((most, event) => Math.max(most, event.scroll.depth), 0);
    const length = isAcross ? this.width : this.height;
    const edge = isAcross ? this.top + this.height + 15 : this.left + this.width + 15;
    const bar = (size, kind) => draw("rect", isAcross ? { x: this.left, y: edge, width: size, height: 6, rx: 3, class: kind } : { x: edge, y: this.top, width: 6, height: size, rx: 3, class: kind });
    this.element.append(bar(length, "depth-track"), bar(Math.max(3, (length * depth) / 100), "depth"));
    const shown = new Map();
    for (const event of events) {
      const at = (length * event.scroll.depth) / 100;
      // Scrolls to the same depth have one line, which opens the first of them.
      const key = Math.round(at / 3);
      if (shown.has(key)) { this.options.register(event, shown.get(key)); continue; }
      const text = `scroll to ${number(event.scroll.depth)} %`;
      shown.set(key, this.mark(event, "scroll", text, isAcross
        ? [draw("rect", { x: this.left + at - 5, y: edge - 6, width: 10, height: 18, class: "reach" }), draw("line", { x1: this.left + at, x2: this.left + at, y1: edge - 3, y2: edge + 9, class: "depth-line" })]
        : [draw("rect", { x: edge - 6, y: this.top + at - 5, width: 18, height: 10, class: "reach" }), draw("line", { x1: edge - 3, x2: edge + 9, y1: this.top + at, y2: this.top + at, class: "depth-line" })]));
    }
    this.element.append(isAcross
      ? draw("text", { x: this.left + limited((length * depth) / 100, 14, length - 14), y: edge + 19, "text-anchor": "middle", class: "depth-label" }, `${number(depth)} %`)
      : draw("text", { x: edge + 15, y: this.top + limited((length * depth) / 100 + 4, 10, length), class: "depth-label" }, `${number(depth)} %`));
  }

  // MARK: Keys

  focusOn(element) {
    for (const mark of this.marks) if (mark.getAttribute("tabindex") !== "-1") mark.setAttribute("tabindex", -1);
    element.setAttribute("tabindex", 0);
  }

  key(event) {
    const at = this.marks.indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.marks[at].dispatchEvent(new MouseEvent("click"));
    }
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: this.marks.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.marks[limited(to, 0, this.marks.length - 1)];
    this.focusOn(next);
    next.focus();
  }
}
