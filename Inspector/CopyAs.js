// Dialog with the forms that an event is copied in.

import { formsOf } from "./CopyForms.js";
import { closeDialog, openDialog } from "./Dialogs.js";
import { button, copy, make } from "./Element.js";
import { brief } from "./Words.js";

/** @param event with its whole text */
export function openCopyAs(event) {
  openDialog("Copy as", make("dl.copies", formsOf(event).map(({ name, title, purpose, copy: copyIn }) => {
    const { text, note, refusal } = copyIn(event);
    const about = brief(refusal ?? [purpose, note].filter(Boolean).join(" "), 400);
    const act = () => { closeDialog(); copy(text, title); };
    return [make("dt", refusal ? title : button(title, act, { id: `copy-${name}` })), make("dd.muted", about)];
  })));
}
