// Runs before the first paint, so that a chosen theme does not flash.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("touchstone:theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // Storage is closed to us: the system's theme holds.
  }
})();
