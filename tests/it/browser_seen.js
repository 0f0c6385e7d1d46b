// Does on a page what a reader would, and notes what happened in an element "seen".
addEventListener("load", () => {
  const out = window.seen;
  const tables = [...document.querySelectorAll(".table table")];
  const key = cell => cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
  const inOrder = (table, column, sign) => {
    const keys = [...table.tBodies[0].rows].map(row => key(row.cells[column]));
    return keys.every((value, at) => at === 0 || typeof value !== typeof keys[at - 1] ||
      sign * (typeof value === "number" ? value - keys[at - 1] : value.localeCompare(keys[at - 1])) >= 0);
  };
  let sorted = 0;
  for (const table of tables) {
    const rows = table.tBodies[0].rows.length;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      // The first click shows the most first.
      for (const [order, sign] of [["descending", -1], ["ascending", 1]]) {
        head.firstChild.click();
        const right = inOrder(table, column, sign) && head.getAttribute("aria-sort") === order;
        if (!right) out.push(`table ${tables.indexOf(table)} column ${column} is not ${order}`);
        sorted += 1;
      }
    });
    if (table.tBodies[0].rows.length !== rows) out.push("sorting lost rows");
  }
  let zoomed = 0;
  for (const svg of document.querySelectorAll("svg")) {
    const boxes = [...svg.querySelectorAll("g.b")];
    if (boxes.length < 2) continue;
    const width = box => Number(box.querySelector("rect").getAttribute("width"));
    const whole = width(boxes[0]);
    const small = boxes.reduce((least, box) => width(box) < width(least) ? box : least);
    const before = width(small);
    small.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (Math.abs(width(small) - whole) > 1) out.push(`a click leaves a box at ${width(small)} of ${whole}`);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    if (Math.abs(width(small) - before) > 1) out.push("Escape does not show all again");
    zoomed += 1;
  }
  const line = document.getElementById("time-line");
  if (line && !line.querySelector("canvas")) out.push("the time line has no picture");
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) out.push(`the page is ${wide} pixels wider than its window`);
  const element = document.createElement("pre");
  element.id = "seen";
  element.textContent = JSON.stringify({ sorted, zoomed, wrong: out });
  document.body.append(element);
});
