(function () {
  var svg = document.currentScript && document.currentScript.ownerSVGElement || document.documentElement;
  var boxes = [].slice.call(svg.querySelectorAll("g.b")).map(function (g) {
    var r = g.querySelector("rect"), t = g.querySelector("text");
    var d = g.querySelector("title").textContent, cut = d.indexOf("\n");
    return {
      g: g, r: r, t: t, label: g.getAttribute("data-s"), name: cut < 0 ? d : d.slice(0, cut), fill: r.getAttribute("fill"),
      x: +r.getAttribute("x"), w: +r.getAttribute("width"), y: +r.getAttribute("y")
    };
  });
  if (!boxes.length) return;
  var root = boxes[0], left = root.x, width = root.w, now = root;
  var found = svg.querySelector(".found"), back = svg.querySelector(".back"), find = svg.querySelector(".find");
  function text(b, w) {
    var most = Math.floor((w - 6) / 6.9);
    if (most < 3) return "";
    var label = b.label || b.name;
    return label.length <= most ? label : label.slice(0, most - 1) + "…";
  }
  function zoom(to) {
    now = to;
    // Boxes are drawn narrower by a gap: what begins in a box, or in the gap behind it, is inside of it.
    var k = width / to.w, gap = 0.3, little = 0.02, end = to.x + to.w + gap;
    boxes.forEach(function (b) {
      var above = b.y < to.y && b.x <= to.x + little && b.x + b.w + gap > to.x + little;
      var inside = b.y >= to.y && b.x >= to.x - little && b.x < end - little;
      b.g.setAttribute("display", above || inside ? "inline" : "none");
      if (!above && !inside) return;
      var x = above ? left : left + (b.x - to.x) * k, w = above ? width : b.w * k;
      b.r.setAttribute("x", x);
      b.r.setAttribute("width", Math.max(w - 0.3, 0.1));
      b.r.setAttribute("fill-opacity", above ? 0.5 : 1);
      if (b.t) { b.t.setAttribute("x", x + 3); b.t.textContent = text(b, w); }
      else if (text(b, w)) {
        b.t = document.createElementNS("http://www.w3.org/2000/svg", "text");
        b.t.setAttribute("x", x + 3); b.t.setAttribute("y", b.y + 12.5); b.t.textContent = text(b, w);
        b.g.appendChild(b.t);
      }
    });
    if (back) back.setAttribute("display", to === root ? "none" : "inline");
  }
  function search(what) {
    var re = null, sum = 0, ends = -1;
    if (what) {
      try { re = new RegExp(what, "i"); }
      catch (e) { re = new RegExp(what.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i"); }
    }
    var hits = boxes.filter(function (b) {
      var hit = re && re.test(b.name);
      b.r.setAttribute("fill", hit ? "#c000c0" : b.fill);
      return hit;
    });
    hits.sort(function (a, b) { return a.x - b.x || b.w - a.w; }).forEach(function (b) {
      if (b.x + b.w > ends + 0.001) { sum += b.x + b.w - Math.max(ends, b.x); ends = b.x + b.w; }
    });
    if (found) found.textContent = what ? what + ": " + (100 * sum / width).toFixed(1) + " %" : "";
  }
  boxes.forEach(function (b) {
    b.g.style.cursor = "pointer";
    b.g.addEventListener("click", function () { zoom(b === now ? root : b); });
  });
  if (back) back.addEventListener("click", function () { zoom(root); });
  if (find) find.setAttribute("display", "inline");
  if (find) find.addEventListener("click", function () { search(window.prompt("Names that match (a regular expression):", "")); });
  document.addEventListener("keydown", function (e) { if (e.key === "Escape") { zoom(root); search(""); } });
})();
