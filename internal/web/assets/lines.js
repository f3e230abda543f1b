// Thin lines lead from each directive to its output, as long as both stand side by side.
"use strict";

// unfold fills in the lines that a page has in common with its source: an export has them once.
function unfold() {
  for (const part of document.querySelectorAll("[data-same]")) {
    const panes = part.closest("[data-panes]");
    if (!panes.checkVisibility()) continue;
    const [from, to] = part.dataset.same.split(" ");
    const lines = [...panes.querySelectorAll(".source > code")].slice(from - 1, to);
    part.replaceWith(...lines.flatMap((line) => [...line.cloneNode(true).childNodes, "\n"]));
  }
}

const space = "http://www.w3.org/2000/svg";
function lines() {
  unfold();
  document.querySelector("svg.lines")?.remove();
  const field = document.createElementNS(space, "svg");
  field.setAttribute("class", "lines");
  field.setAttribute("aria-hidden", "true");
  for (const panes of document.querySelectorAll("[data-panes]")) connect(panes, field);
  if (!field.firstChild) return;
  field.setAttribute("width", document.documentElement.clientWidth);
  field.setAttribute("height", document.body.scrollHeight);
  document.body.append(field);
}

function connect(panes, field) {
  const source = panes.querySelector(".source"), page = panes.querySelector(".page");
  if (!source || !page || !panes.checkVisibility()) return;
  const left = source.getBoundingClientRect(), right = page.getBoundingClientRect();
  if (right.left < left.right) return; // one above the other
  const outputs = new Map();
  for (const e of page.querySelectorAll("[data-d]")) if (!outputs.has(e.dataset.d)) outputs.set(e.dataset.d, e);
  const seen = new Set();
  for (const e of source.querySelectorAll("[data-d]")) {
    const to = outputs.get(e.dataset.d), from = e.getClientRects()[0], end = to?.getClientRects()[0];
    if (seen.has(e.dataset.d) || !from || !end) continue;
    seen.add(e.dataset.d);
    const y1 = (from.top + from.bottom) / 2, y2 = (end.top + end.bottom) / 2;
    const away = y1 < left.top || y1 > left.bottom || y2 < right.top || y2 > right.bottom; // scrolled out of its pane
    const x1 = Math.min(from.right, left.right) + scrollX, x2 = Math.max(end.left, right.left) + scrollX;
    const a = Math.min(Math.max(y1, left.top + 4), left.bottom - 4) + scrollY, b = Math.min(Math.max(y2, right.top + 4), right.bottom - 4) + scrollY;
    const edge = left.right + scrollX - 14, middle = (edge + right.left + scrollX) / 2;
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", `M${x1} ${a}H${Math.max(edge, x1)}C${middle + 10} ${a} ${middle - 10} ${b} ${right.left + scrollX + 4} ${b}H${x2}`);
    path.setAttribute("class", away ? "away" : "");
    field.append(path);
  }
}

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; lines(); });
}
document.addEventListener("scroll", (e) => { if (e.target !== document) redraw(); }, true);
document.addEventListener("toggle", redraw, true);
addEventListener("resize", redraw);
addEventListener("hashchange", redraw);
addEventListener("load", redraw);
redraw();
