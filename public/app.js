// Conveniences only: theme, copy buttons, shortcuts. Every page works without this file.
(() => {
  "use strict";
  const root = document.documentElement;
  const themes = ["system", "light", "dark"];
  const stored = () => { try { return localStorage.getItem("theme") || "system"; } catch { return "system"; } };
  const apply = (theme) => { theme === "system" ? root.removeAttribute("data-theme") : root.setAttribute("data-theme", theme); };
  apply(stored());

  const theme = (button) => {
    button.hidden = false;
    const show = () => { button.textContent = `Theme: ${stored()}`; };
    show();
    button.addEventListener("click", () => {
      const next = themes[(themes.indexOf(stored()) + 1) % themes.length];
      try { localStorage.setItem("theme", next); } catch { /* the choice then lasts for this page */ }
      apply(next);
      show();
    });
  };

  const copy = (button) => {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = button.parentElement.querySelector("input, pre");
      await navigator.clipboard.writeText(source.value ?? source.textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  };

  const help = () => {
    let dialog = document.querySelector("dialog.keys");
    if (!dialog) {
      dialog = document.createElement("dialog");
      dialog.className = "keys";
      dialog.setAttribute("aria-label", "Keyboard shortcuts");
      const title = document.createElement("h2");
      title.textContent = "Keyboard shortcuts";
      const list = document.createElement("dl");
      for (const link of document.querySelectorAll("[data-go]")) row(list, `g ${link.dataset.go}`, link.textContent);
      row(list, "?", "This help");
      row(list, "Esc", "Close");
      dialog.append(title, list);
      document.body.append(dialog);
    }
    dialog.showModal();
  };
  const row = (list, key, what) => {
    const term = document.createElement("dt");
    const code = document.createElement("code");
    code.textContent = key;
    term.append(code);
    const text = document.createElement("dd");
    text.textContent = what;
    list.append(term, text);
  };

  let going = 0;
  const key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (event.key === "?") { help(); return; }
    if (event.key === "/") {
      const search = document.querySelector("input[type=search]");
      if (search) { event.preventDefault(); search.focus(); }
      return;
    }
    if (event.key === "g") { going = Date.now(); return; }
    if (Date.now() - going < 1500) {
      going = 0;
      const link = [...document.querySelectorAll("[data-go]")].find((a) => a.dataset.go === event.key);
      if (link) link.click();
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("button.theme").forEach(theme);
    document.querySelectorAll("button.copy").forEach(copy);
    document.addEventListener("keydown", key);
    document.addEventListener("click", (event) => {
      for (const open of document.querySelectorAll("details.menu[open]")) if (!open.contains(event.target)) open.open = false;
    });
  });
})();
