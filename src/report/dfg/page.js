"use strict";
const all = (what) => [...document.querySelectorAll(what)];
const one = (name) => document.getElementById(name);
const edges = all(".edge");
const nodes = all(".node[data-name]");
const counts = [...new Set(edges.map((edge) => +edge.dataset.count))].sort((a, b) => a - b);
const fills = nodes.map((node) => node.querySelector("rect").getAttribute("fill"));
const texts = nodes.map((node) => node.querySelector("text")?.getAttribute("fill") ?? "#000000");
one("least").max = Math.max(counts.length - 1, 0);

function show() {
  const least = counts[+one("least").value] ?? 0;
  let hidden = 0;
  for (const edge of edges) {
    const rare = +edge.dataset.count < least;
    edge.style.display = rare ? "none" : "";
    hidden += rare && edge.querySelector("path") ? 1 : 0;
  }
  one("told").textContent = `${least} times or more` + (hidden ? `; ${hidden} edges hidden` : "");
  const wanted = one("find").value.toLowerCase();
  for (const node of nodes) {
    const found = node.dataset.name.toLowerCase().includes(wanted);
    node.style.opacity = found ? 1 : 0.25;
    node.querySelector("rect").setAttribute("stroke-width", wanted && found ? 3 : 1);
  }
  const measure = one("measure").value;
  const most = Math.max(...nodes.map((node) => +node.dataset[measure] || 0), 0);
  nodes.forEach((node, at) => {
    const part = most ? (+node.dataset[measure] || 0) / most : 0;
    const mix = (dark) => Math.round(255 + (dark - 255) * part);
    const given = measure === "given";
    const fill = given ? fills[at] : `rgb(${mix(8)},${mix(69)},${mix(148)})`;
    node.querySelector("rect").setAttribute("fill", fill);
    const text = given ? texts[at] : part > 0.6 ? "#ffffff" : "#000000";
    node.querySelectorAll("text").forEach((line) => line.setAttribute("fill", text));
  });
}

for (const node of all(".node")) {
  node.addEventListener("mouseenter", () => {
    one("about").textContent = node.querySelector("title").textContent;
  });
}
for (const name of ["least", "find", "measure"]) {
  one(name).addEventListener("input", show);
}
show();
