// The desk and the adjudicator's desk: digits choose, Enter sends, nothing typed is lost.

import { isPlain, isTyping } from "./app.js";
import { Search } from "./passages.js";

const IDLE_MS = 60_000;
const DRAFT = "touchstone:draft:";
const DRAFT_DAYS = 14;

const desk = () => document.getElementById("desk");
const form = () => document.querySelector("form#labels");

// --- conditional questions ------------------------------------------------------------------------

function chosen(key) {
  const question = form().querySelector(`fieldset.question[data-key="${CSS.escape(key)}"]`);
  if (!question || question.disabled) return form().querySelector(`data[data-agreed="${CSS.escape(key)}"]`)?.value;
  return (question.querySelector("input:checked") ?? question.querySelector("input[type=number]"))?.value;
}

function showAsked() {
  for (const question of form().querySelectorAll("fieldset.question[data-condition]")) {
    const opening = [...question.querySelectorAll("[data-opens-at]")].map((data) => data.value);
    const asked = opening.includes(chosen(question.dataset.condition));
    question.hidden = question.disabled = !asked;
  }
}

// --- drafts: what is chosen and typed survives a reload, a crash, a lost session ---------------------

const draftName = () => `${DRAFT}${desk().dataset.person}:${desk().dataset.unit}`;
const stored = (action) => {
  try {
    return action(localStorage);
  } catch {
    return null; // storage is closed or full: the form itself still holds everything
  }
};
const TECHNICAL = new Set(["csrfmiddlewaretoken", "unit", "key", "signed_as", "seconds"]);

function keepDraft() {
  const fields = [...new FormData(form())].filter(([name]) => !TECHNICAL.has(name));
  const isEmpty = fields.every(([, value]) => value === "");
  stored((storage) =>
    isEmpty
      ? storage.removeItem(draftName())
      : storage.setItem(draftName(), JSON.stringify({ at: Date.now(), fields, worked: worked() })),
  );
}

function restoreDraft() {
  const draft = stored((storage) => JSON.parse(storage.getItem(draftName())));
  if (!draft) return;
  before = draft.worked ?? 0;
  // A form that came back from the server with words of its own holds what was sent: that is newer.
  if (form().querySelector("[data-errors]:not([hidden])")) return;
  for (const [name, value] of draft.fields) {
    const held = form().elements.namedItem(name);
    if (held) held.value = value;
  }
}

function forgetOldDrafts() {
  stored((storage) => {
    const oldest = Date.now() - DRAFT_DAYS * 86_400_000;
    for (const name of Object.keys(storage)) {
      if (name.startsWith(DRAFT) && !(JSON.parse(storage.getItem(name))?.at > oldest)) storage.removeItem(name);
    }
  });
}

// --- time at work: stops while the page is hidden or nobody moves -------------------------------------

let before = 0; // seconds from an earlier sitting at the same unit
let active = 0; // milliseconds of this one
let last = performance.now();
let lastSign = last;

function tick() {
  const now = performance.now();
  if (!document.hidden) active += Math.max(0, Math.min(now, lastSign + IDLE_MS) - last);
  last = now;
}

const worked = () => {
  tick();
  return Math.round(before * 10 + active / 100) / 10;
};

function restartClock() {
  before = active = 0;
  last = lastSign = performance.now();
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    const now = performance.now();
    active += Math.max(0, Math.min(now, lastSign + IDLE_MS) - last);
    last = now;
  } else {
    last = lastSign = performance.now();
  }
});
for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "scroll"]) {
  document.addEventListener(
    sign,
    () => {
      tick();
      lastSign = performance.now();
    },
    { capture: true, passive: true },
  );
}

// --- saying that something was not saved ----------------------------------------------------------------

const WORDS = {
  gone: "Not saved: the server cannot be reached. What you chose and wrote is kept here.",
  slow: "Not saved yet: the server does not answer. What you chose and wrote is kept here; trying again stores it once.",
  out: "Not saved: you are signed out. What you chose and wrote is kept here. Sign in, then try again.",
  stale: "Not saved: you signed in or out in another tab. What you chose and wrote is kept here; try again.",
  lost: "Not saved: this unit is not here any more. Load the page for the next one.",
  broke: "Not saved: something broke on the server. What you chose and wrote is kept here.",
};

function sayUnsaved(reason) {
  const note = form()?.querySelector("[data-unsaved]");
  if (!note) return;
  note.querySelector("[data-unsaved-words]").textContent = WORDS[reason];
  note.querySelector("[data-sign-in]").hidden = reason !== "out";
  note.hidden = false;
  const saved = document.getElementById("saved");
  if (saved) saved.innerHTML = '<span class="state lost">not saved</span>';
}

const REASONS = { 401: "out", 403: "stale", 404: "lost" };
const isOurs = (event) => event.target === form();

document.addEventListener("htmx:responseError", (event) => {
  if (isOurs(event)) sayUnsaved(REASONS[event.detail.xhr.status] ?? "broke");
});
document.addEventListener("htmx:sendError", (event) => isOurs(event) && sayUnsaved("gone"));
document.addEventListener("htmx:timeout", (event) => isOurs(event) && sayUnsaved("slow"));
document.addEventListener("htmx:beforeSend", (event) => {
  if (!isOurs(event)) return;
  form().querySelector("[data-unsaved]").hidden = true;
  const saved = document.getElementById("saved");
  if (saved) saved.innerHTML = '<span class="state busy">saving</span>';
});

// An answer that is no fragment of this page (a proxy's, a sign-in page) is never put in the form's place.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target !== desk()) return;
  if (event.detail.shouldSwap && !event.detail.serverResponse.includes('id="desk"')) {
    event.detail.shouldSwap = false;
    sayUnsaved("broke");
    return;
  }
  if (event.detail.xhr.status < 400) stored((storage) => storage.removeItem(draftName()));
  keptPlace = placeInPassages();
});

// --- from unit to unit -------------------------------------------------------------------------------------

let keptPlace = null;
let search = null;

function placeInPassages() {
  const text = document.querySelector(".sources-text");
  return text && { material: text.dataset.material, top: text.scrollTop };
}

function begin() {
  if (!desk()) return;
  const text = document.querySelector(".sources-text");
  // The next claim of the same response comes with the same passages: stay where the eye was.
  if (text && keptPlace?.material === text.dataset.material) text.scrollTop = keptPlace.top;
  search = text && new Search(document.querySelector(".sources"));
  for (const details of document.querySelectorAll("details[data-remember]")) remember(details);
  if (!form()) return;
  restartClock();
  restoreDraft();
  showAsked();
  form().querySelector("fieldset.question[data-missing]:not([hidden]) input")?.focus();
}

function remember(details) {
  const name = `touchstone:open:${details.dataset.remember}`;
  if (stored((storage) => storage.getItem(name)) === "no") details.open = false;
  details.addEventListener("toggle", () => stored((storage) => storage.setItem(name, details.open ? "yes" : "no")));
}

document.addEventListener("input", (event) => {
  if (event.target.form !== form() || !form()) return;
  event.target.closest("fieldset.question")?.removeAttribute("data-missing");
  showAsked();
  keepDraft();
});
document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  if (form().elements.seconds) form().elements.seconds.value = worked();
  keepDraft();
}, { capture: true });
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.id !== "desk" && event.detail.target?.id !== "desk") return;
  begin();
  // On a phone the page scrolls: the next unit starts at its question. Tab goes on from the unit.
  if (form()?.querySelector("[data-errors]")?.hidden) {
    window.scrollTo(0, 0);
    document.querySelector(".work").focus({ preventScroll: true });
  }
});
window.addEventListener("pagehide", () => form() && keepDraft());

// --- keys ------------------------------------------------------------------------------------------------------

function press(control) {
  if (!control || control.disabled) return false;
  control.click();
  if (control.type === "radio") control.focus({ preventScroll: true });
  return true;
}

const digit = (key) =>
  [...form().querySelectorAll(`input[data-digit="${key}"]`)].find((input) => !input.closest("fieldset").disabled);

const ACTIONS = {
  "/": () => search?.focus(),
  "[": () => search?.step(-1),
  "]": () => search?.step(1),
  w: () => form()?.elements.comment?.focus(),
  r: () => form()?.elements.reason_code?.focus(),
  v: () => press(document.querySelector('[data-opens="guideline"]')),
};

document.addEventListener("keydown", (event) => {
  if (!desk() || !isPlain(event) || document.querySelector("dialog[open]")) return;
  const { target, key } = event;
  if (isTyping(target)) {
    if (key === "Escape") target.blur();
    const sends = key === "Enter" && !event.shiftKey && target.matches("[name=comment], [name=reason_code]");
    if (sends) send(event);
    return;
  }
  if (key === "Enter" && !target.closest("a, button, summary, select")) return send(event);
  if (/^[0-9]$/.test(key) && form() && press(digit(key))) return event.preventDefault();
  const take = form()?.querySelector(`[data-take-key="${CSS.escape(key)}"]`);
  if (take && press(take)) return event.preventDefault();
  if (ACTIONS[key]) {
    event.preventDefault();
    ACTIONS[key]();
  }
});

function send(event) {
  event.preventDefault();
  if (event.repeat) return; // a key held down is one wish
  const next = form()?.querySelector("a.primary");
  if (next) next.click();
  else form()?.requestSubmit();
}

// Taking a card's labels (adjudication): the same that the button does at the server without JavaScript.
// Caught on its way down, because htmx would send the last button clicked along with the decision.
document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest("button[data-take-key]");
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    for (const data of button.querySelectorAll("data[data-field]")) {
      const held = form().elements.namedItem(data.dataset.field);
      if (held) held.value = data.value;
      showAsked();
    }
    keepDraft();
  },
  { capture: true },
);

forgetOldDrafts();
begin();
