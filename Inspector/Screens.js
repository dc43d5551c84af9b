// The screen flow of the filtered sessions.

import { $, make, put } from "./Element.js";
import { inspector, openFiltered } from "./Page.js";
import { flowElement } from "./ScreenFlow.js";
import { View } from "./View.js";

export class Screens extends View {
  constructor() {
    super("screens", "flow");
  }

  show() {
    const graph = flowElement(inspector.shown, $("flow").clientWidth - 36, { filter: openFiltered });
    put($("flow"), graph);
    this.showState(graph, "event", [make("p.title", "No screen yet."), make("p.muted", "Events named _screen_view with a _screen_name form the screen flow.")]);
  }
}
