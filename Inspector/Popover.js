// Popovers, which are opened by the controls that name them in `popovertarget`.

import { $ } from "./Element.js";

/** Puts a popover beneath its control whenever it opens, with their right ends in line. A window of another size closes it. */
export function connectPopover(id) {
  const popover = $(id), control = document.querySelector(`[popovertarget=${id}]`);
  popover.addEventListener("beforetoggle", ({ newState }) => {
    if (newState !== "open") return;
    const { right, bottom } = control.getBoundingClientRect();
    Object.assign(popover.style, { right: `${Math.max(8, document.documentElement.clientWidth - right)}px`, top: `${bottom + 6}px` });
  });
  window.addEventListener("resize", () => popover.hidePopover());
}

/** Closes the open popover, whose control gets the focus; returns false if none is open. */
export function closePopover() {
  const popover = document.querySelector(":popover-open");
  popover?.hidePopover();
  if (popover) document.querySelector(`[popovertarget=${popover.id}]`).focus();
  return Boolean(popover);
}
