// The researcher's pages: copy a table as LaTeX, and say it when figures do not come.

const COPY = "Copy LaTeX";

// The figures may have come in meanwhile, and a new button with them.
function say(word) {
  for (const button of document.querySelectorAll("[data-copies]")) button.textContent = word;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  try {
    const answer = await fetch(button.dataset.copies);
    if (!answer.ok) throw new Error(answer.statusText);
    await navigator.clipboard.writeText(await answer.text());
    say("Copied");
  } catch {
    say("Not copied");
  }
  setTimeout(say, 2000, COPY);
});

function sayLost(event) {
  const place = event.target.closest?.("#figures, #progress, #catalogue");
  if (!place || place.querySelector(":scope > .lost-line")) return;
  const line = document.createElement("p");
  line.className = "flash error lost-line";
  line.setAttribute("role", "alert");
  line.textContent =
    event.detail.xhr?.status === 401
      ? "You are signed out: sign in in another tab, then load this page again."
      : "The server did not answer; what stands here may be out of date. Load the page again.";
  place.prepend(line);
}

for (const name of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(name, sayLost);
}
