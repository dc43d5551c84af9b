// Focus in a group of controls, such as the marks of a drawing: one of them is in the tab order, and keys move to the others.

/** Makes an element the only one of its group in the tab order. */
export function setTabStop(elements, element) {
  for (const each of elements) each.setAttribute("tabindex", each === element ? 0 : -1);
}

/** Moves the focus by an arrow key, Home or End. */
export function moveFocus(event, elements) {
  const at = elements.indexOf(document.activeElement);
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: elements.length - 1 }[event.key];
  if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const next = elements[to];
  if (!next) return;
  setTabStop(elements, next);
  next.focus();
}
