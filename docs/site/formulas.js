// Formulas, as arithmatex leaves them: \( \) in the text, \[ \] by themselves.
document.addEventListener("DOMContentLoaded", () => {
  for (const node of document.querySelectorAll(".arithmatex")) {
    const text = node.textContent.trim();
    katex.render(text.slice(2, -2), node, { displayMode: text.startsWith("\\["), throwOnError: false });
  }
});
