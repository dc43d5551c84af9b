// Panel beside a list, with the selected item.

export class Panel {
  constructor(host) {
    this.host = host;
  }

  get isOpen() {
    return !this.host.hidden;
  }

  /** Shows or hides the panel, and says so to the style of the lists beside it: a selector with :has would be computed for each of their changes. */
  setOpen(isOpen) {
    this.host.hidden = !isOpen;
    this.host.parentElement.classList.toggle("with-panel", isOpen);
  }

  hide() {
    this.setOpen(false);
    this.host.replaceChildren();
  }
}
