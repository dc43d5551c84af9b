// Outline of a page: a frame in the proportions of the screen with taps and long presses as marks, moves and swipes as
// arrows, and the scroll depth at its edge.

import { draw, severityWords } from "./Element.js";
import { moveFocus, setTabStop } from "./RovingFocus.js";
import { brief, count, number } from "./Words.js";

/** Widths of the frame around the screen, and of its margin in the drawing. */
const bezel = 7, margin = bezel + 1;
const maxFrame = { width: 172, height: 336, across: 300 };
/** Marks that are drawn on one page, and swipes without a position. */
export const maxPageMarks = 200;
const maxSwipes = 24;
/** Swipes of one orientation up to which each has a label with its velocity. */
const maxSwipeLabels = 3;
/** Taps up to which each has a number, in the order of time. */
const maxNumbers = 60;

export const limited = (value, low, high) => Math.min(high, Math.max(low, value));

/** Line with an arrowhead. */
function arrow(x, y, toX, toY, width) {
  const angle = Math.atan2(toY - y, toX - x), head = 5 + width;
  const wing = (turn) => `${(toX - head * Math.cos(angle + turn)).toFixed(1)} ${(toY - head * Math.sin(angle + turn)).toFixed(1)}`;
  const end = `${toX.toFixed(1)} ${toY.toFixed(1)}`;
  return draw("path", { d: `M${x.toFixed(1)} ${y.toFixed(1)}L${end}M${wing(0.5)}L${end}L${wing(-0.5)}`, class: "shaft", "stroke-width": width });
}

export class PageOutline {
  /**
   * @param screen size in logical pixels, and `isComputer`: see `screenOf`
   * @param options `select(event)`, called for a click on a mark; `register(event, element)` for each mark; `maxMarks` marks are drawn
   */
  constructor(title, events, screen, options) {
    this.options = options;
    const scale = Math.min((screen.width > screen.height ? maxFrame.across : maxFrame.width) / screen.width, maxFrame.height / screen.height);
    this.scale = scale;
    this.width = Math.max(90, screen.width * scale);
    this.height = Math.max(90, screen.height * scale);
    const scrolls = events.filter((event) => event.scroll);
    const down = scrolls.filter((event) => !event.scroll.isAcross), across = scrolls.filter((event) => event.scroll.isAcross);
    const total = { width: this.width + 2 * margin + (down.length ? 56 : 0), height: this.height + 2 * margin + (across.length ? 30 : 0) };
    this.marks = [];
    const located = events.filter((event) => event.mark?.x !== undefined);
    const swipes = events.filter((event) => event.mark && event.mark.x === undefined);
    this.element = draw("svg", {
      viewBox: `0 0 ${total.width} ${total.height}`, width: total.width, height: total.height, class: "outline", role: "group",
      "aria-label": `${title}: ${count(located.length + swipes.length, "gesture")}, ${count(scrolls.length, "scroll")}`,
      onkeydown: (event) => this.key(event),
    },
      draw("rect", { x: 1, y: 1, width: this.width + 2 * bezel, height: this.height + 2 * bezel, rx: screen.isComputer ? 3 : 16, class: "bezel" }),
      draw("rect", { x: margin, y: margin, width: this.width, height: this.height, rx: screen.isComputer ? 1 : 9, class: "glass" }));
    if (!located.length && !swipes.length) {
      this.element.append(draw("text", { x: margin + this.width / 2, y: margin + this.height / 2, "text-anchor": "middle", class: "outline-note" }, events[0]?.format.hasPositions === false ? "no swipes" : "no gestures"));
    }
    this.isNumbered = located.length <= maxNumbers;
    located.slice(0, options.maxMarks).forEach((event, index) => this.drawLocated(event, index + 1));
    this.drawSwipes(swipes.slice(0, maxSwipes));
    if (down.length) this.drawDepth(down, false);
    if (across.length) this.drawDepth(across, true);
    setTabStop(this.marks, this.marks[0]);
    /** Gestures without a mark: beyond the limits. */
    this.omitted = Math.max(0, located.length - options.maxMarks) + Math.max(0, swipes.length - maxSwipes);
  }

  /** Adds a mark, which opens its event, and returns its element. */
  mark(event, kind, text, ...parts) {
    const { severity } = event;
    const label = brief(`${text}${severity && `, ${severityWords[severity]}`}`);
    const element = draw("g", {
      class: `touch-mark ${kind} ${severity}`, role: "button", tabindex: -1, "aria-label": label, "aria-pressed": "false",
      onclick: () => { setTabStop(this.marks, element); this.options.select(event); },
    }, draw("title", label), parts);
    this.marks.push(element);
    this.options.register(event, element);
    this.element.append(element);
    return element;
  }

  /** Place in the frame of a position on the screen. A position outside of the screen is drawn at its edge. */
  position(x, y) {
    return [margin + limited(x * this.scale, 0, this.width), margin + limited(y * this.scale, 0, this.height)];
  }

  /** @param order place of the event in the order of time, from 1 */
  drawLocated(event, order) {
    const { mark } = event;
    const [x, y] = this.position(mark.x, mark.y);
    const prefix = this.isNumbered ? `${order}: ` : "";
    const label = this.isNumbered && draw("text", { x, y: y + 3.5, class: "touch-number", "text-anchor": "middle" }, `${order}`);
    if (mark.kind === "move") {
      const [toX, toY] = this.position(mark.toX, mark.toY);
      return this.mark(event, "move", `${prefix}move from ${mark.x}, ${mark.y} to ${mark.toX}, ${mark.toY} on ${mark.label}`,
        draw("path", { d: `M${x} ${y}L${toX} ${toY}`, class: "reach" }), arrow(x, y, toX, toY, 2.5),
        draw("circle", { cx: x, cy: y, r: this.isNumbered ? 8.5 : 3, class: "point" }), label);
    }
    const circle = (r, kind) => draw("circle", { cx: x, cy: y, r, class: kind });
    const r = this.isNumbered ? 8.5 : 6, isTap = mark.kind === "tap";
    this.mark(event, isTap ? "tap" : "press", `${prefix}${mark.kind} at ${mark.x}, ${mark.y} on ${mark.label}${mark.fingers > 1 ? `, ${mark.fingers} fingers` : ""}`,
      circle(r + 6, "reach"), !isTap && circle(r + 3, "ring"), circle(r, "point"), label,
      mark.fingers > 1 && draw("text", { x: x + r + 4, y: y - 6, class: "fingers" }, count(limited(Math.round(mark.fingers), 2, 99), "finger")));
  }

  /** Swipes without a position: side by side in the order of time, vertical ones above horizontal ones. */
  drawSwipes(events) {
    const bands = [[["up", "down"], 1.6], [["left", "right"], 1], [["complex", null], 0.6]]
      .map(([directions, share]) => ({ share, swipes: events.filter(({ mark }) => directions.includes(mark.direction)) }))
      .filter(({ swipes }) => swipes.length);
    const total = bands.reduce((sum, { share }) => sum + share, 0);
    let top = margin;
    for (const { share, swipes } of bands) {
      const height = (this.height * share) / total;
      swipes.forEach((event, at) => this.drawSwipe(event, { top, height, at, size: swipes.length }));
      top += height;
    }
  }

  drawSwipe(event, { top, height, at, size }) {
    const { direction, distance, velocity, label } = event.mark;
    const isVertical = direction === "up" || direction === "down", isComplex = !isVertical && direction !== "left" && direction !== "right";
    const thickness = 1.5 + limited(velocity / 400, 0, 4.5);
    const text = `${event.mark.kind} ${direction ?? "in no direction"}, ${number(distance)} dp at ${number(velocity)} dp/s on ${label}`;
    const note = (y) => size <= maxSwipeLabels && draw("text", { x, y, class: "speed", "text-anchor": "middle" }, `${number(velocity)} dp/s`);
    // Center of the swipe.
    const share = (at + 1) / (size + 1);
    const x = margin + this.width * (isVertical || isComplex ? share : 0.5), y = top + height * (isVertical || isComplex ? 0.5 : share);
    if (isComplex) {
      const r = limited(Math.min(this.width / (size + 1) / 3, height / 5), 4, 13);
      return this.mark(event, "swipe", text, draw("circle", { cx: x, cy: y, r: r + 4, class: "reach" }),
        draw("path", { d: `M${x - r} ${y}C${x - r} ${y - 1.6 * r} ${x + r} ${y - 1.6 * r} ${x + r} ${y}S${x - r} ${y + 1.5 * r} ${x - r} ${y + r / 2}`, class: "shaft", "stroke-width": thickness }), note(Math.min(top + height - 4, y + 1.6 * r + 12)));
    }
    const length = limited(distance * this.scale, 16, Math.max(16, (isVertical ? height : this.width) - 56));
    const sign = direction === "down" || direction === "right" ? 1 : -1;
    const [byX, byY] = isVertical ? [0, sign * length] : [sign * length, 0];
    const [fromX, fromY] = [x - byX / 2, y - byY / 2];
    return this.mark(event, "swipe", text, draw("path", { d: `M${fromX} ${fromY}l${byX} ${byY}`, class: "reach" }), arrow(fromX, fromY, fromX + byX, fromY + byY, thickness),
      note(isVertical ? Math.min(top + height - 4, y + length / 2 + 14 + (at % 2) * 12) : y + thickness / 2 + 12));
  }

  /** Bar at the right or lower edge, filled to the greatest depth; each scroll is a line at its own. */
  drawDepth(events, isAcross) {
    const depth = events.reduce((maximum, event) => Math.max(maximum, event.scroll.depth), 0);
    const [length, edge] = isAcross ? [this.width, margin + this.height + 15] : [this.height, margin + this.width + 15];
    /** Attributes of a rectangle by its place and size along the edge and across it. */
    const box = (along, size, across, thickness) =>
      isAcross ? { x: along, y: across, width: size, height: thickness } : { x: across, y: along, width: thickness, height: size };
    const bar = (size, kind) => draw("rect", { ...box(margin, size, edge, 6), rx: 3, class: kind });
    this.element.append(bar(length, "depth-track"), bar(Math.max(3, (length * depth) / 100), "depth"));
    // Scrolls to the same depth have one line, which opens the first of them.
    for (const same of Map.groupBy(events, ({ scroll }) => Math.round((length * scroll.depth) / 300)).values()) {
      const at = margin + (length * same[0].scroll.depth) / 100;
      const mark = this.mark(same[0], "scroll", `scroll to ${number(same[0].scroll.depth)} %`,
        draw("rect", { ...box(at - 5, 10, edge - 6, 18), class: "reach" }),
        draw("path", { d: isAcross ? `M${at} ${edge - 3}v12` : `M${edge - 3} ${at}h12`, class: "depth-line" }));
      for (const event of same.slice(1)) this.options.register(event, mark);
    }
    const end = (length * depth) / 100;
    this.element.append(draw("text", isAcross
      ? { x: margin + limited(end, 14, length - 14), y: edge + 19, "text-anchor": "middle", class: "depth-label" }
      : { x: edge + 15, y: margin + limited(end + 4, 10, length), class: "depth-label" }, `${number(depth)} %`));
  }

  key(event) {
    const focused = this.marks.find((mark) => mark === document.activeElement);
    if (focused && (event.key === "Enter" || event.key === " ") && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      focused.dispatchEvent(new MouseEvent("click"));
    } else {
      moveFocus(event, this.marks);
    }
  }
}
