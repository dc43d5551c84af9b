// Contrast of every visible text, also where axe-core leaves it to a review, names of all controls, ids that occur twice, references to
// elements that are missing, cells that are not within their rows. Returns a list of findings. Cheaper than axe-core, and so part of more tests.
() => {
  const found = [];
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { r, g, b, a: a / 255 };
  };
  const over = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1 });
  const light = ({ r, g, b }) => [r, g, b].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)).reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (a, b) => { const [high, low] = [light(a), light(b)].sort((x, y) => y - x); return (high + 0.05) / (low + 0.05); };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const layer = colour(getComputedStyle(at).backgroundColor);
      if (layer.a > 0) layers.push(layer);
      if (layer.a === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 });
  };
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && element.getClientRects().length > 0;
  const call = (element) => `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ""}${element.getAttribute("class") ? `.${element.getAttribute("class").split(" ").join(".")}` : ""}`;
  const seen = new Set();
  const complain = (sentence) => { if (!seen.has(sentence)) { seen.add(sentence); found.push(sentence); } };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !isShown(element) || element.closest("script, style, datalist, .hidden, .skip, svg title")) continue;
    const style = getComputedStyle(element);
    const isDrawn = element.namespaceURI.endsWith("svg");
    // A label on a bar of the timeline stands on the bar, and a number on its mark, not on what is behind the drawing.
    const bar = isDrawn && element.classList.contains("touch-number") ? element.parentElement.querySelector(".point") : isDrawn && element.classList.contains("bar-label") ? element.parentElement.querySelector(element.classList.contains("on") ? ".engaged" : ".stay") : null;
    const paper = bar ? colour(getComputedStyle(bar).fill) : behind(isDrawn ? element.closest("div") : element);
    const ink = over(colour(isDrawn ? style.fill : style.color), paper);
    const ratio = contrast(ink, paper);
    const isLarge = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) complain(`contrast ${ratio.toFixed(2)} of ${call(element)} "${node.data.trim().slice(0, 30)}"`);
  }
  for (const input of document.querySelectorAll("input[placeholder]")) {
    if (!isShown(input)) continue;
    const ratio = contrast(colour(getComputedStyle(input, "::placeholder").color), behind(input));
    if (ratio < 4.5) complain(`contrast ${ratio.toFixed(2)} of the placeholder of ${call(input)}`);
  }
  const name = (element) => element.getAttribute("aria-label") || (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("") || [...(element.labels ?? [])].map((label) => label.textContent).join("") || element.textContent.trim() || element.title;
  for (const element of document.querySelectorAll("button, input, select, a[href], [tabindex], [role=button], [role=listbox], [role=tab], [role=region], [role=img], dialog[open]")) {
    if (!isShown(element) || element.id === "main") continue;
    if (!name(element)) complain(`no name: ${call(element)}`);
  }
  for (const row of document.querySelectorAll(".row")) {
    const { top, bottom } = row.getBoundingClientRect();
    for (const cell of row.children) {
      const box = cell.getBoundingClientRect();
      if (isShown(cell) && (box.top < top - 1 || box.bottom > bottom + 1)) complain(`${call(cell)} is not within its row`);
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) complain(`id ${id} twice`);
  for (const element of document.querySelectorAll("[aria-controls], [aria-labelledby], [aria-activedescendant]")) {
    for (const attribute of ["aria-controls", "aria-labelledby", "aria-activedescendant"]) {
      const id = element.getAttribute(attribute);
      if (id && !document.getElementById(id)) complain(`${attribute} of ${call(element)} names ${id}, which is not there`);
    }
  }
  return found;
}
