// What a served page and an export have in common: what is said at the pointer, the tree of skills, and text that an export
// has once.
"use strict";

// unfold shows lines that source and page have in common on both sides: an export has them once.
function unfold() {
  for (const row of document.querySelectorAll(".row[data-same]")) {
    if (!row.checkVisibility()) continue;
    const source = document.createElement("div"), page = document.createElement("pre"), text = row.firstElementChild.textContent;
    source.className = "src";
    page.className = "page";
    for (const line of text.replace(/\n$/, "").split("\n")) source.append(Object.assign(document.createElement("code"), { textContent: line }));
    page.textContent = text;
    row.replaceChildren(source, Object.assign(document.createElement("span"), { className: "gap" }), page);
    row.removeAttribute("data-same");
  }
}
addEventListener("hashchange", unfold);
unfold();

// What a chart or a square says, at the pointer.
let bubble;
function tell(e) {
  const at = e.target instanceof Element ? e.target.closest("[data-tip]") : null;
  if (!at) {
    bubble?.remove();
    return;
  }
  if (!bubble) bubble = Object.assign(document.createElement("div"), { className: "tip" });
  bubble.setAttribute("aria-hidden", "true");
  bubble.textContent = at.dataset.tip;
  if (!bubble.isConnected) document.body.append(bubble);
  const spot = at.getBoundingClientRect(), wide = bubble.offsetWidth, room = document.documentElement.clientWidth;
  bubble.style.left = Math.max(4, Math.min(spot.left + spot.width / 2 - wide / 2, room - wide - 4)) + scrollX + "px";
  const above = spot.top - bubble.offsetHeight - 6;
  bubble.style.top = (above > 0 ? above : spot.bottom + 6) + scrollY + "px";
}
document.addEventListener("mouseover", tell);
document.addEventListener("focusin", tell);

// The tree of skills is filtered as one types, and keeps that from page to page.
const typed = document.querySelector("[data-tree]");
function prune() {
  const words = typed.value.toLowerCase().split(/\s+/);
  for (const link of document.querySelectorAll(".tree li")) link.hidden = !words.every((w) => link.textContent.toLowerCase().includes(w));
}
if (typed) {
  try { typed.value = sessionStorage.tree ?? ""; } catch { /* it is not kept */ }
  typed.addEventListener("input", () => {
    prune();
    try { sessionStorage.tree = typed.value; } catch { /* it is not kept */ }
  });
  if (typed.value) prune();
  const here = document.querySelector(".tree [aria-current]"), box = here?.closest(".tree");
  if (here) box.scrollTop = here.offsetTop - box.clientHeight / 2;
}

// j and k lead to the next skill of the tree, or along a list.
document.addEventListener("keydown", (e) => {
  if (!/^[jk]$/.test(e.key) || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  const tree = [...document.querySelectorAll(".tree a")].filter((a) => a.checkVisibility());
  const here = tree.findIndex((a) => a.hasAttribute("aria-current") || a.hash && a.hash === location.hash);
  const all = tree.length ? tree : [...document.querySelectorAll(".list tbody tr > th a")].filter((a) => a.checkVisibility());
  const at = tree.length ? here : all.indexOf(document.activeElement);
  const to = all[at < 0 ? 0 : at + (e.key === "j" ? 1 : -1)];
  if (!to) return;
  if (tree.length) to.click();
  else to.focus();
});

// A square leads to what it stands for.
document.addEventListener("click", (e) => {
  const to = e.target instanceof Element && e.target.closest("[data-href]");
  if (to) location.href = to.dataset.href;
});
