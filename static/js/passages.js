// The passages beside a unit: jump between them, find words in them.

const SHORTEST = 2;
const MOST = 500;

export class Search {
  constructor(panel) {
    this.text = panel.querySelector(".sources-text");
    this.sources = [...panel.querySelectorAll("[data-source]")];
    this.tabs = [...panel.querySelectorAll("[data-tab]")];
    this.field = panel.querySelector("[data-search]");
    this.count = panel.querySelector("[data-found]");
    this.found = [];
    this.at = -1;
    this.field.addEventListener("input", () => this.find());
    this.field.addEventListener("keydown", (event) => this.onKey(event));
    for (const tab of this.tabs) {
      tab.addEventListener("click", (event) => {
        event.preventDefault();
        this.go(Number(tab.dataset.tab) - 1);
      });
    }
    this.text.addEventListener("scroll", () => this.showCurrent(), { passive: true });
    this.showCurrent();
  }

  // --- jumping ---

  /** Below 60rem the passages do not scroll by themselves: the page does. */
  get current() {
    const top = this.text.getBoundingClientRect().top + 24;
    const atEnd = this.text.scrollHeight > this.text.clientHeight
      && this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 2;
    if (atEnd && this.chosen !== undefined) return this.chosen;
    const index = this.sources.findLastIndex((source) => source.getBoundingClientRect().top <= top);
    return Math.max(0, index);
  }

  go(index) {
    const source = this.sources[index];
    if (!source) return;
    this.chosen = index;
    source.scrollIntoView({ block: "start" });
    this.showCurrent(index);
  }

  step(by) {
    this.go(Math.min(this.sources.length - 1, Math.max(0, (this.shown ?? 0) + by)));
  }

  showCurrent(index = this.current) {
    if (index !== this.chosen) this.chosen = undefined;
    this.shown = index;
    this.tabs.forEach((tab, n) => tab.setAttribute("aria-current", String(n === index)));
  }

  // --- finding ---

  focus() {
    this.field.focus();
    this.field.select();
  }

  onKey(event) {
    if (event.key === "Enter" && this.found.length) {
      event.preventDefault();
      this.show((this.at + (event.shiftKey ? -1 : 1) + this.found.length) % this.found.length);
    } else if (event.key === "Escape") {
      this.field.value = "";
      this.find();
    }
  }

  find() {
    for (const mark of this.found) mark.replaceWith(...mark.childNodes);
    this.text.normalize();
    this.found = [];
    this.at = -1;
    const words = this.field.value.trim();
    if (words.length >= SHORTEST) {
      const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
      for (const text of this.text.querySelectorAll("[data-text]")) this.markIn(text, pattern);
    }
    if (this.found.length) this.show(0);
    else this.count.textContent = words.length >= SHORTEST ? "none" : "";
  }

  markIn(element, pattern) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) {
      for (const match of [...node.data.matchAll(pattern)].reverse()) {
        if (this.found.length >= MOST) return;
        const range = document.createRange();
        range.setStart(node, match.index);
        range.setEnd(node, match.index + match[0].length);
        const mark = document.createElement("mark");
        mark.className = "found";
        range.surroundContents(mark);
        this.found.push(mark);
      }
    }
    this.found.sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  show(at) {
    this.found[this.at]?.classList.remove("at");
    this.at = at;
    const mark = this.found[at];
    mark.classList.add("at");
    mark.scrollIntoView({ block: "nearest" });
    this.count.textContent = `${at + 1} of ${this.found.length}`;
  }
}
