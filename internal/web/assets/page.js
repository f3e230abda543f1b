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
    document.querySelector(`.grid [data-d="${CSS.escape(go.dataset.go)}"]`)?.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
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

// like makes an element what another is and changes nothing else: what has the
// focus keeps it, and what is scrolled, opened or filled in stays so.
const keyOf = (node) => node.nodeType === Node.ELEMENT_NODE ? node.dataset.key || node.id : "";
const alike = (a, b) => a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
function like(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) {
    old.data = next.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (name !== "open" && !next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const wanted = new Set([...next.children].map(keyOf).filter(Boolean));
  let at = old.firstChild;
  for (const node of next.childNodes) {
    let found = at;
    while (found && !alike(found, node)) { // further down, but not beyond what will be needed
      found = node.nodeType !== Node.ELEMENT_NODE || !keyOf(node) && wanted.has(keyOf(found)) ? null : found.nextSibling;
    }
    if (!found) {
      old.insertBefore(document.importNode(node, true), at);
      continue;
    }
    while (at !== found && !wanted.has(keyOf(at))) {
      at = at.nextSibling;
      at.previousSibling.remove();
    }
    if (at === found) at = at.nextSibling;
    else old.insertBefore(found, at);
    like(found, node);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

// show puts what the server has now in the place of what is on the page.
const show = (said) => put(() => fetch(location.href, { headers: { Accept: "text/html" } }), said, "look");

// put shows an answer of the server, to a look or an act. Of several under way it is the last one's.
let latest = 0;
async function put(ask, said, of) {
  const turn = ++latest;
  let answer, text;
  try {
    answer = await ask();
    text = await answer.text();
  } catch {
    known = -1; // whatever comes next is news; if the server has ended the stream says so
    return;
  }
  if (turn !== latest && (answer.ok || of === "look")) return; // that an act went wrong is said in any case
  const next = new DOMParser().parseFromString(text, "text/html");
  if (answer.ok || of === "look" && next.body.dataset.watch) document.body.dataset.watch = next.body.dataset.watch ?? ""; // what is not there may come
  if (!answer.ok && !(of === "look" && document.querySelector("[data-fault]"))) {
    const why = faultOf(next);
    warn(of === "act" ? "This was not done. " + why : "This cannot be shown any more; below is how it was. " + why, of);
    return;
  }
  const main = document.querySelector("main"), lit = main.querySelector(".lit")?.dataset.d, focus = document.activeElement;
  light();
  const note = main.querySelector("[data-warn]");
  if (note && note.dataset.warn !== "look") next.querySelector("main").prepend(note.cloneNode(true));
  const changed = !main.isEqualNode(next.querySelector("main"));
  like(main, next.querySelector("main"));
  light(lit);
  if (running) mark();
  if (focus !== document.activeElement && focus.isConnected) focus.focus({ preventScroll: true }); // it was moved
  const age = Number(next.body.dataset.at);
  known = Math.max(known, age);
  if (age < 0) refresh(); // it may have changed while it was read
  if (changed) say(said + " at " + next.body.dataset.now + ".");
}
function say(text) {
  const status = document.querySelector("[data-status]");
  if (status) status.textContent = text;
}
const faultOf = (doc) => doc.querySelector("main .bad")?.textContent.trim() || "The server gave no reason.";

// warn says what went wrong at the top, where it is seen; without a text it takes
// that back. What came of an act stays until the next, of a look until one is good.
function warn(text, of) {
  let note = document.querySelector("main > [data-warn]");
  if (!text) {
    if (note?.dataset.warn === of) note.remove();
    return;
  }
  if (!note) {
    note = document.createElement("p");
    note.className = "note bad alert";
    note.setAttribute("role", "alert");
    document.querySelector("main").prepend(note);
  }
  note.dataset.warn = of;
  if (note.textContent !== text) note.textContent = text;
}

// A list is filtered while one types. Going back shows it as it was before.
document.documentElement.classList.add("script");
let filtering;
function filter(field) {
  clearTimeout(filtering);
  const query = new URLSearchParams([...new FormData(field.form)].filter(([, v]) => v !== ""));
  const to = new URL(field.form.action);
  const sort = new URLSearchParams(location.search).get("sort");
  if (sort) query.set("sort", sort);
  to.search = query;
  if (to.href === location.href) return;
  const typing = history.state?.typing;
  history[typing ? "replaceState" : "pushState"]({ typing: true }, "", to);
  show("Filtered");
}
document.addEventListener("input", (e) => {
  if (!e.target.matches("[data-find]")) return;
  clearTimeout(filtering);
  filtering = setTimeout(filter, 120, e.target);
});
addEventListener("popstate", async () => {
  await show("Shown as before");
  const field = document.querySelector("[data-find]");
  if (field) field.value = new URLSearchParams(location.search).get("q") ?? "";
});

// The form shows its page while it is being filled in.
let timer;
document.addEventListener("input", (e) => {
  const form = e.target.closest("[data-args]");
  if (!form) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    const query = new URLSearchParams([...new FormData(form)].filter(([k, v]) => v !== "" || k === "arg"));
    history.replaceState(null, "", location.pathname + (query.size ? "?" + query : ""));
    show("Shown with these arguments");
  }, 150);
});
document.addEventListener("submit", (e) => {
  const find = e.target.querySelector("[data-find]");
  if (find) {
    e.preventDefault();
    filter(find);
  }
  if (e.submitter?.hasAttribute("data-run")) {
    e.preventDefault();
    if (!running) run(e.target);
  }
  if (e.target.hasAttribute("data-fix")) { // in place, so that nothing is scrolled away
    e.preventDefault();
    const body = new URLSearchParams(new FormData(e.target));
    warn("", "act");
    put(() => fetch(e.target.action, { method: "POST", body }), "Fixed", "act");
  }
});

// A run can be stopped, by its button or with Escape: the server then ends it.
let running; // ends the run that is under way
async function run(form) {
  const from = location.href, stop = running = new AbortController();
  mark();
  warn("", "act");
  say("Running the directives.");
  let fault = "", to = from;
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), signal: stop.signal });
    const text = await answer.text();
    to = answer.url;
    if (!answer.ok) fault = "This was not run. " + faultOf(new DOMParser().parseFromString(text, "text/html"));
  } catch {
    fault = stop.signal.aborted ? "The run was stopped, and what it had started was ended." : "The run was cut off.";
  }
  running = undefined;
  mark();
  if (fault) {
    warn(fault, "act");
    say("");
    refresh(); // what was saved meanwhile
    return;
  }
  if (location.href === from) history.replaceState(null, "", to);
  await show("Run, and shown");
  if (again) refresh();
}
function mark() {
  const button = document.querySelector("[data-run]");
  let stop = document.querySelector("[data-stop]");
  if (!running && stop) {
    if (stop === document.activeElement) button?.focus();
    stop.remove();
  }
  if (!button) return;
  button.textContent = running ? "Running…" : "Run";
  button.toggleAttribute("aria-busy", false);
  if (!running) return;
  button.setAttribute("aria-busy", "true");
  if (stop) return;
  stop = document.createElement("button");
  stop.type = "button";
  stop.className = "quiet";
  stop.dataset.stop = "";
  stop.textContent = "Stop";
  button.after(stop);
}
document.addEventListener("click", (e) => { if (e.target.closest("[data-stop]")) running?.abort(); });
document.addEventListener("keydown", (e) => { if (e.key === "Escape") running?.abort(); });

// News come when something that the page shows has changed. However many there
// are, most of the time goes to others: three times what the last look took.
let known = Number(document.body.dataset.at), busy = false, again = false;
async function refresh() {
  again = true;
  if (busy) return;
  busy = true;
  while (again && !document.hidden && !running) { // a run is shown when it ends
    again = false;
    const began = performance.now();
    await show("Changed and shown");
    await new Promise((done) => { setTimeout(done, 3 * (performance.now() - began)); });
  }
  busy = false;
}
function heard({ number, path }) {
  if (number <= known) return;
  known = number;
  if (path === "*" || (document.body.dataset.watch ?? "").split(" ").includes(path)) refresh();
}

// A browser has six connections to a server. So the tabs that are seen share one
// stream: whoever has the lock listens and tells the others. A tab that is not
// seen gives it up, and asks how things stand when it is seen again.
const channel = new BroadcastChannel("skillhand");
let listening = false, leave = () => {};
channel.onmessage = ({ data }) => {
  if (data.asks && listening) channel.postMessage({ number: known, path: "*" });
  if (data.state) stream(data.state);
  if (data.path) heard(data);
};
// stream says whether news come.
function stream(state) {
  const ended = state === "ended";
  warn(ended ? "skillhand page has ended, or does not answer: what is below may be old. To go on, start it again in a terminal." : "", "stream");
  if (ended) say("Changes do not show.");
}
function listen(done) {
  let events, failures = 0;
  const sayAll = (state) => { channel.postMessage({ state }); stream(state); };
  const open = () => {
    events = new EventSource("/events");
    events.onmessage = (e) => {
      if (failures > 1) sayAll("open");
      failures = 0;
      listening = true;
      const news = { number: Number(e.lastEventId), path: e.data };
      channel.postMessage(news);
      heard(news);
    };
    events.onerror = () => {
      if (++failures === 2) sayAll("ended"); // one may be by chance
      if (failures === 20) events.close();
    };
  };
  open();
  // To stop loading a page ends its stream for good, and nothing says so.
  const check = setInterval(() => { if (events.readyState === EventSource.CLOSED && failures < 20) open(); }, 1000);
  return () => {
    listening = false;
    clearInterval(check);
    events.close();
    done();
  };
}
function seen() {
  leave();
  leave = () => {};
  if (document.hidden) return;
  const given = new AbortController();
  let stop = () => {};
  leave = () => { given.abort(); stop(); };
  if (!navigator.locks) stop = listen(() => {}); // an old browser: each tab for itself
  navigator.locks?.request("skillhand-events", { signal: given.signal }, () => new Promise((done) => { stop = listen(done); })).catch(() => {});
  channel.postMessage({ asks: true }); // how things stand
  if (again) refresh();
}
if (document.body.dataset.watch) {
  document.addEventListener("visibilitychange", seen);
  seen();
}
addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
const every = Number(document.body.dataset.every);
if (every) setInterval(refresh, every * 1000);
