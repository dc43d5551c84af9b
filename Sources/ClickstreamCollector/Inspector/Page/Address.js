// Address of the page: view, filter, order of the sessions and selected event, as in #events?name=click&event=12.

function writeAddress() {
  const selected = selectedEvent()?.sequence ?? inspector.wanted;
  const query = new URLSearchParams([
    ...inspector.filter.parameters,
    ...(inspector.view === "sessions" && sessions.order !== "newest" ? [["sort", sessions.order]] : []),
    ...(selected ? [["event", selected]] : []),
  ]).toString();
  history.replaceState(null, "", `#${inspector.view}${query ? `?${query}` : ""}`);
}

function readAddress() {
  // The target of the skip link is no view.
  if (location.hash === "#main") return writeAddress();
  const [view, query] = location.hash.slice(1).split("?");
  const values = Object.fromEntries(new URLSearchParams(query ?? ""));
  inspector.filter = new Filter(values);
  if (!["", "good", "bad"].includes(inspector.filter.status)) inspector.filter.status = "";
  inspector.wanted = /^[1-9]\d{0,15}$/.test(values.event ?? "") ? Number(values.event) : null;
  sessions.sort(values.sort);
  refilter();
  openView(views.includes(view) ? view : "events");
}

/** Event in the panel of the current view, or null. */
function selectedEvent() {
  if (inspector.view === "events") return panel.event;
  return inspector.view === "sessions" ? sessions.event.event : null;
}

/** Selects the event of the address in the list as soon as the stream has it. */
function selectWanted() {
  const { events, wanted } = inspector;
  let low = 0, high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].sequence < wanted) low = middle + 1;
    else high = middle;
  }
  const event = events[low];
  if (event?.sequence !== wanted || inspector.looked <= low) return;
  inspector.wanted = null;
  if (inspector.view !== "events") return;
  list.selected = event;
  if (panel.event?.sequence === wanted) panel.event = event;
  else panel.show(event);
  list.follows = false;
  list.reveal(event, true);
  list.refresh();
  panelsChanged();
}
