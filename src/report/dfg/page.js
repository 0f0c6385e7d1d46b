"use strict";
const one = (name) => document.getElementById(name);
const main = document.querySelector("main");
const number = (value) => value.toLocaleString("en-GB").replaceAll(",", "\u2009");

// The pictures of the page: each has other activities.
const levels = [...document.querySelectorAll(".level")].map((of) => {
  const edges = [...of.querySelectorAll(".edge")];
  const nodes = [...of.querySelectorAll(".node[data-name]")];
  return {
    of, edges, nodes, svg: of.querySelector("svg"), start: of.querySelector(".node rect"), count: +of.dataset.nodes,
    counts: [...new Set(edges.map((edge) => +edge.dataset.count))].sort((a, b) => a - b),
    fills: nodes.map((node) => node.querySelector("rect").getAttribute("fill")),
    texts: nodes.map((node) => node.querySelector("text")?.getAttribute("fill") ?? "#000000"),
  };
});
const all = levels[levels.length - 1].count;
// Letters that are smaller than this part of theirs cannot be read.
const readable = 0.8;
let level = levels[+one("level").value];

// Fits the picture into the window, as far as it stays readable: the begin of all cases is in sight.
function fit() {
  const { svg, start } = level;
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const whole = one("whole").getAttribute("aria-pressed") === "true";
  const room = [main.clientWidth / width, main.clientHeight / height];
  const scale = whole ? Math.min(1, ...room) : Math.min(1, Math.max(readable, room[0]));
  svg.setAttribute("width", width * scale);
  svg.setAttribute("height", height * scale);
  const at = start.getBoundingClientRect(), frame = main.getBoundingClientRect();
  main.scrollTop = 0;
  main.scrollLeft += (at.left + at.right) / 2 - (frame.left + frame.right) / 2;
}

function show() {
  const least = level.counts[+one("least").value] ?? 0;
  let hidden = 0;
  for (const edge of level.edges) {
    const rare = +edge.dataset.count < least;
    edge.style.display = rare ? "none" : "";
    hidden += rare && edge.querySelector("path") ? 1 : 0;
  }
  one("told").textContent = `${number(least)} times` + (hidden ? `; ${number(hidden)} hidden` : "");
  one("shown").textContent = `${number(level.count)} of ${number(all)}`;
  const wanted = one("find").value.toLowerCase();
  for (const node of level.nodes) {
    const found = node.dataset.name.toLowerCase().includes(wanted);
    node.style.opacity = found ? 1 : 0.25;
    node.querySelector("rect").setAttribute("stroke-width", wanted && found ? 3 : 1);
  }
  const measure = one("measure").value;
  const most = Math.max(...level.nodes.map((node) => +node.dataset[measure] || 0), 0);
  level.nodes.forEach((node, at) => {
    const part = most ? (+node.dataset[measure] || 0) / most : 0;
    const mix = (dark) => Math.round(255 + (dark - 255) * part);
    const given = measure === "given";
    const fill = given ? level.fills[at] : `rgb(${mix(8)},${mix(69)},${mix(148)})`;
    node.querySelector("rect").setAttribute("fill", fill);
    const text = given ? level.texts[at] : part > 0.6 ? "#ffffff" : "#000000";
    node.querySelectorAll("text").forEach((line) => line.setAttribute("fill", text));
  });
}

function choose() {
  level = levels[+one("level").value];
  for (const other of levels) other.of.hidden = other !== level;
  one("least").max = Math.max(level.counts.length - 1, 0);
  fit();
  show();
}

for (const { nodes } of levels) {
  for (const node of nodes) {
    node.addEventListener("mouseenter", () => {
      one("about").hidden = false;
      one("about").textContent = node.querySelector("title").textContent;
    });
  }
}
for (const name of ["least", "find", "measure"]) one(name).addEventListener("input", show);
one("level").addEventListener("input", choose);
one("whole").addEventListener("click", () => {
  const whole = one("whole").getAttribute("aria-pressed") !== "true";
  one("whole").setAttribute("aria-pressed", whole);
  fit();
});
window.addEventListener("resize", fit);
choose();
