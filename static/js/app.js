// What every page does: theme choice, menus, fresh CSRF tokens, clocks, jumps between rooms.

const root = document.documentElement;

// --- theme -------------------------------------------------------------------------------------

const themes = document.querySelectorAll("[data-theme-choice]");

function showTheme() {
  for (const button of themes) {
    button.setAttribute("aria-pressed", String(button.dataset.themeChoice === (root.dataset.theme ?? "")));
  }
}

for (const button of themes) {
  button.addEventListener("click", () => {
    const theme = button.dataset.themeChoice;
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
    try {
      localStorage.setItem("touchstone:theme", theme);
    } catch {
      // It holds for this page at least.
    }
    showTheme();
  });
}
showTheme();

// --- menus -------------------------------------------------------------------------------------

const openMenus = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
});

// --- CSRF: signing in again in another tab changes the token, the form here still has the old one ---

const cookie = (name) =>
  document.cookie
    .split("; ")
    .find((part) => part.startsWith(`${name}=`))
    ?.slice(name.length + 1);

function refreshToken(form) {
  const field = form?.querySelector("input[name=csrfmiddlewaretoken]");
  const token = cookie("csrftoken");
  if (field && token) field.value = token;
  return token;
}

document.addEventListener("submit", (event) => refreshToken(event.target), { capture: true });
document.addEventListener("htmx:configRequest", ({ detail }) => {
  const token = cookie("csrftoken");
  if (!token || detail.verb === "get") return;
  detail.headers["X-CSRFToken"] = token;
  if (detail.parameters.csrfmiddlewaretoken) detail.parameters.csrfmiddlewaretoken = token;
});

// --- clocks: the server speaks UTC, the reader has a clock of their own ---------------------------

export function localClocks(within) {
  for (const time of within.querySelectorAll("time[data-clock]")) {
    time.textContent = new Date(time.dateTime).toLocaleTimeString("en-GB");
  }
}

localClocks(document);
document.addEventListener("htmx:load", (event) => localClocks(event.target));

// --- keys ----------------------------------------------------------------------------------------

export const isTyping = (target) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox])"));

export const isPlain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;

let jumping = 0;

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of openMenus()) menu.open = false;
  if (!isPlain(event) || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    document.querySelector("dialog#keys")?.showModal();
    event.preventDefault();
  } else if (event.timeStamp < jumping) {
    jumping = 0;
    document.querySelector(`.rooms a[data-jump="${CSS.escape(event.key)}"]`)?.click();
    event.stopImmediatePropagation();
  } else if (event.key === "g") {
    jumping = event.timeStamp + 1500;
  }
});

// Buttons that open and close dialogs: <button data-opens="ID">, <button data-closes>.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  const dialog = opener && document.getElementById(opener.dataset.opens);
  if (dialog) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a link in a new tab stays one
    event.preventDefault();
    dialog.showModal();
    dialog.dispatchEvent(new Event("opened"));
  }
  if (event.target.closest("[data-closes]") || event.target.matches("dialog")) {
    event.target.closest("dialog")?.close();
  }
});
