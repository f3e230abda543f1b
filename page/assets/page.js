// All that the page does by itself: light up what belongs together, show a saved
// file, copy. Without it every view still works.
"use strict";

// A directive and its output light up together, by pointer or by keyboard.
function light(id) {
  for (const e of document.querySelectorAll(".lit")) if (e.dataset.d !== id) e.classList.remove("lit");
  if (id) for (const e of document.querySelectorAll(`[data-d="${CSS.escape(id)}"]`)) e.classList.add("lit");
}
const directiveAt = (target) => target instanceof Element ? target.closest("[data-d]")?.dataset.d : undefined;
document.addEventListener("mouseover", (e) => light(directiveAt(e.target) ?? directiveAt(document.activeElement)));
document.addEventListener("focusin", (e) => light(directiveAt(e.target)));

document.addEventListener("click", async (e) => {
  const copy = e.target.closest("[data-copy]");
  if (copy) {
    e.preventDefault();
    const was = copy.textContent;
    try {
      await navigator.clipboard.writeText(copy.dataset.copy);
      copy.textContent = "Copied";
    } catch {
      copy.textContent = "Not allowed";
    }
    setTimeout(() => { copy.textContent = was; }, 1500);
  }
  const go = e.target.closest("[data-go]");
  if (go) {
    e.preventDefault();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const pane of document.querySelectorAll(".code")) {
      pane.querySelector(`[data-d="${CSS.escape(go.dataset.go)}"]`)?.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    }
    light(go.dataset.go);
  }
});

// "/" goes to the search.
document.addEventListener("keydown", (e) => {
  const find = document.querySelector("[data-find]");
  if (e.key === "/" && find && !e.ctrlKey && !e.metaKey && !e.altKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    e.preventDefault();
    find.focus();
    find.select();
  }
});

// show puts what the server has now in the place of what is on the page. The
// form stays, with what is being typed, and every pane where it is scrolled to.
let latest = 0;
async function show(address, said) {
  const turn = ++latest;
  let text;
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    text = await answer.text();
  } catch {
    return; // the server has ended; the event stream says so
  }
  if (turn !== latest) return;
  const next = new DOMParser().parseFromString(text, "text/html");
  const from = next.querySelector("[data-live]"), to = document.querySelector("[data-live]");
  if (!to) return;
  if (!from) {
    say(next.querySelector("main")?.textContent.trim().replace(/\s+/g, " ") ?? "This page is gone.");
    return;
  }
  const lit = to.querySelector(".lit")?.dataset.d;
  light(); // so that the two can be compared
  if (from.isEqualNode(to)) {
    light(lit);
    return;
  }
  const scrolled = [...to.querySelectorAll(".code, .scroll")].map((e) => [e.scrollTop, e.scrollLeft]);
  to.replaceWith(document.adoptNode(from));
  document.querySelectorAll("[data-live] .code, [data-live] .scroll").forEach((e, i) => {
    if (scrolled[i]) [e.scrollTop, e.scrollLeft] = scrolled[i];
  });
  light(lit);
  say(said);
}
function say(text) {
  const status = document.querySelector("[data-status]");
  if (status) status.textContent = text;
}
const now = () => new Date().toLocaleTimeString();

// The form shows its page while it is being filled in.
const form = document.querySelector("[data-args]");
if (form) {
  let timer;
  const change = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const query = new URLSearchParams([...new FormData(form)].filter(([k, v]) => v !== "" || k === "arg"));
      const address = "/preview?" + query;
      history.replaceState(null, "", address);
      show(address, "Shown with these arguments.");
    }, 150);
  };
  form.addEventListener("input", change);
  form.addEventListener("submit", (e) => {
    if (!e.submitter?.hasAttribute("data-run")) return;
    e.submitter.setAttribute("aria-busy", "true");
    e.submitter.textContent = "Running…";
    say("Running the directives.");
  });
}

// One tab listens for all of them: a browser has few connections to a server.
const watched = (document.body.dataset.watch ?? "").split(" ").filter(Boolean);
if (watched.length) {
  const heard = (dir) => {
    if (dir === "*" || watched.includes(dir)) show(location.href, "Saved and shown at " + now() + ".");
  };
  const channel = new BroadcastChannel("skillhand");
  channel.onmessage = (e) => heard(e.data);
  const tell = (dir) => { channel.postMessage(dir); heard(dir); };
  const listen = () => new Promise(() => {
    const events = new EventSource("/events");
    events.onopen = () => tell("*"); // what was saved before is not told
    events.onerror = () => say("skillhand page has ended, or does not answer.");
    events.onmessage = (e) => tell(e.data);
  });
  navigator.locks.request("skillhand-events", listen);
}
