// Time line, a part of it: what is said of the view and of what is chosen.

// ---- Words on the view and on what is chosen ----

let lastWords = "";
function describeView() {
  const shown = rowsInView(), cell = length / levels[finest].columns;
  const span = view.tpp * size.plot > length * 0.9999 ? `All ${spell(length)} · ` : `${spellAt(view.t0)} to ${spellAt(viewEnd())}: ${spell(view.tpp * size.plot)} of ${spell(length)} · `;
  const words = `${span}${shown < main.items.length ? `${shown} of ` : ""}${plural(main.items.length, state.grouped ? "line" : "row")} · finest column ${spell(cell)}${inView()}`;
  const under = state.hover && itemAt(state.hover.y), t = state.hover ? timeAt(state.hover.x) : 0;
  let about = "";
  const message = state.hover && messageAt(state.hover.x, state.hover.y);
  if (message) about = `Message of ${spellBytes(message.bytes)} from ${message.sender} to ${message.receiver}, sent at ${messageTime(message, "sent")}, received at ${messageTime(message, "received")}`;
  else if (under && state.hover.x < size.labels) about = `${under.item.name}: ${under.item.row < 0 ? "click opens or closes it" : "click for its sums, on the pin to keep it on top"}`;
  else if (under) about = `${under.item.name} · ${spellAt(t)} · ${composition(under.item, t)}`;
  if (words + about === lastWords) return;
  lastWords = words + about;
  viewLine.textContent = words;
  hoverLine.textContent = about;
  stage.setAttribute("aria-label", `Time line of ${meta.title}: ${words}`);
}

// The largest classes of one cell, from tiles that are loaded; the exact visit where it is known.
function composition(item, t) {
  if (item.row >= 0) {
    const stack = stackAt(item.row, t, -1);
    if (stack && stack.length) return short(events.names[stack[stack.length - 1][4]]);
  }
  const sums = new Float64Array(planes);
  let all = 0;
  for (const row of item.rows) {
    const value = valueAt(row, t / length, finest);
    if (!value) continue;
    all += whole * weights[row];
    for (let plane = 0; plane < planes; plane++) sums[plane] += value(plane) * weights[row];
  }
  const named = classes.map((one, at) => [sums[at] / all, one.name]).filter(([part]) => part > 0.0005).sort((a, b) => b[0] - a[0]);
  return named.slice(0, 3).map(([part, name]) => `${name} ${percent(part)}`).join(", ") || "nothing recorded";
}

// How many messages of the view are drawn.
function inView() {
  const shows = showsMessages(), { list, count } = shownMessages();
  if (messageToggle) messageToggle.setAttribute("aria-pressed", String(shows));
  return shows && count ? ` · ${list.length < count ? `${list.length} longest of ` : ""}${plural(count, "message")} in view` : "";
}

function tell(text) {
  said.textContent = text;
}

const button = (text, act, more) => make("button", { type: "button", class: "tl-button", onclick: act, ...more }, text);

// A table of times: the class of the colour, name, and ticks of each.
function table(lines, all, heading) {
  const line = ([kind, name, ticks, title]) => make("tr", null,
    make("th", { scope: "row", title }, kind >= 0 ? make("i", { "data-class": kind, style: `background:${css(colours.base[kind])}` }) : "", name),
    make("td", null, spell(ticks)),
    make("td", null, make("span", { class: "tl-share", style: `--part:${clamp(ticks / all, 0, 1)}` }, percent(ticks / all))));
  return make("table", { class: "tl-table" }, make("caption", null, heading), make("tbody", null, ...lines.map(line)));
}

function classTable(sums, all, heading) {
  const lines = classes.map((one, at) => [at, one.name, sums[at]]).filter(([, , ticks]) => ticks > 0).sort((a, b) => b[2] - a[2]);
  if (waits >= 0 && sums[waits] > 0) lines.push([-1, "Of it: waited for others", sums[waits]]);
  return table(lines, all, heading);
}

// Time of regions without that of calls inside, in a span of time of some rows: of calls of which it is known to the tick.
function regionSums(which, from, to) {
  const sums = new Map(), add = (name, ticks) => sums.set(name, (sums.get(name) || 0) + ticks);
  for (const row of which) {
    const of = visits(row), lanes = new Map();
    for (let i = of ? firstVisit(of, from) : 0; of && i < of.list.length && of.list[i][1] < to; i++) {
      const [lane, enter, leave, , name, own] = of.list[i];
      if (leave <= from) continue;
      const open = lanes.get(lane) || [], ticks = Math.min(leave, to) - Math.max(enter, from);
      lanes.set(lane, open);
      while (open.length && open[open.length - 1].leave <= enter) open.pop();
      const around = open[open.length - 1];
      if (around && around.whole) add(around.name, -ticks);
      // All calls inside of it are kept, or else its own time is.
      const whole = own === undefined;
      if (whole) add(name, ticks);
      else if (own >= 0 && enter >= from && leave <= to) add(name, own);
      open.push({ leave, name, whole });
    }
  }
  return [...sums].filter(([, ticks]) => ticks > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

const REGIONS = 12;
function regionTable(which, from, to, all) {
  if (!events) return [];
  const found = regionSums(which, from, to), exact = found.reduce((sum, [, ticks]) => sum + ticks, 0);
  const line = ([name, ticks]) => [events.classes[name], short(events.names[name]), ticks, events.names[name]], rest = found.slice(REGIONS);
  const words = least ? `${percent(exact / all)} of this is in calls kept to the tick. The rest is in shorter calls, in calls that are cut, or outside of calls.` : "All calls are kept to the tick. The rest is outside of calls.";
  return [found.length ? table(found.slice(0, REGIONS).map(line), all, "By region, without calls inside") : "",
    rest.length ? make("details", null, make("summary", null, plural(rest.length, "more region")), table(rest.map(line), all, "")) : "",
    make("p", { class: "tl-quiet" }, words)];
}

let job = 0;
function choose(title, ...inside) {
  job++;
  chosen.replaceChildren(make("h3", null, title), ...inside.filter(Boolean));
  side.scrollTop = 0;
  notice.textContent = damaged;
  showMark();
  tell([title, ...[...chosen.querySelectorAll("p:not(.tl-row)")].map((one) => one.textContent)].join(". "));
  ask();
  return job;
}

// At most one thing is chosen.
const pickOnly = (one) => Object.assign(state, { point: null, box: null, mark: -1, message: null }, one);

function clear() {
  pickOnly({});
  choose("Nothing chosen", make("p", null, "Click the picture for what happens there. Drag with Shift, or while Select is on, to sum up a rectangle."));
}

const about = (item) => (item.row < 0 ? plural(item.rows.length, meta.row_is === "thread" ? "thread" : "row")
  : [rows[item.row].group, rows[item.row].count > 1 ? plural(rows[item.row].count, "process") : "",
    rows[item.row].threads > 1 ? plural(rows[item.row].threads, "thread") : ""].filter(Boolean).join(" · "));

function buttonsOf(item) {
  if (item.row < 0) return make("p", { class: "tl-row" }, button(item.open ? "Close" : "Open", () => toggleGroup(item.group)));
  return make("p", { class: "tl-row" }, button(state.pins.has(item.row) ? "Unpin row" : "Pin row", () => togglePin(item.row)),
    button("Sums of the row", () => showRow(item)));
}

function showRow(item) {
  const all = weightOf(item.rows) * length;
  pickOnly({ point: state.point });
  choose(item.name, about(item) ? make("p", null, about(item)) : null, classTable(wholeRun(item.rows), all, "Whole run"), ...regionTable(item.rows, 0, length, all), buttonsOf(item));
}

// Tells what is at a point: cell, exact visits, and the nearest of the long waits.
async function inspect(list, item, t, lane) {
  pickOnly({ point: { list, item, t } });
  const column = Math.min(levels[finest].columns - 1, Math.floor(t / length * levels[finest].columns)), cell = length / levels[finest].columns;
  const inside = [make("p", null, `${[about(item), spellAt(t)].filter(Boolean).join(" · ")}`)];
  const stack = item.row >= 0 && events ? stackAt(item.row, t, lane) : null;
  if (stack && stack.length) {
    const [, enter, leave, , name] = stack[stack.length - 1];
    inside.push(make("p", null, make("b", null, short(events.names[name])), ` for ${spell(leave - enter)}, from ${spellAt(enter, (leave - enter) / 100)}`),
      make("ol", { class: "tl-stack" }, ...stack.map((one) => make("li", { title: events.names[one[4]] }, make("code", null, short(events.names[one[4]])), ` ${spell(one[2] - one[1])}`))),
      make("p", { class: "tl-row" }, button("Zoom to it", () => goTo(enter, leave, [item.row], 60))));
  } else if (events && item.row >= 0) {
    const shortest = leastIn(t, t);
    inside.push(make("p", { class: "tl-quiet" }, shortest ? `No call of at least ${spell(shortest)} is open here.` : "No region is open here."));
  }
  const where = make("div"), away = (ticks) => (ticks ? `${spell(Math.abs(ticks))} ${ticks > 0 ? "later" : "earlier"}` : "here");
  const wait = nearest(marks.filter((mark) => item.rows.includes(mark.row)), (mark) => (t < mark.begin ? mark.begin - t : t > mark.end ? mark.end - t : 0));
  if (wait) where.append(make("p", null, `Nearest long wait: ${wait[0].name}, ${spell(wait[0].ticks)}, ${away(wait[1])}`), make("p", { class: "tl-row" }, button("Show this wait", () => goMark(marks.indexOf(wait[0])))));
  const ends = showsMessages() ? messages.flatMap((one) => [[one, one.from, one.sent, `to ${one.receiver}, sent`], [one, one.to, one.received, `from ${one.sender}, received`]]) : [];
  const message = nearest(ends.filter(([, row]) => item.rows.includes(row)), ([, , time]) => time - t);
  if (message) where.append(make("p", null, `Nearest message: ${spellBytes(message[0][0].bytes)} ${message[0][3]} ${away(message[1])}`), make("p", { class: "tl-row" }, button("Show this message", () => showMessage(message[0][0]))));
  const sums = make("div", { class: "tl-sums" });
  const mine = choose(item.name, ...inside, sums, where, buttonsOf(item));
  const got = await addUp(item.rows, column * cell, (column + 1) * cell);
  if (mine !== job) return;
  const all = cell * weightOf(item.rows);
  sums.replaceChildren(classTable(got.sums, all, `Column of ${spell(cell)}`));
  said.textContent += ` ${composition(item, t)}`;
}

// The thing that is the least far away, and how far.
function nearest(things, far) {
  return things.reduce((best, one) => (best && Math.abs(best[1]) <= Math.abs(far(one)) ? best : [one, far(one)]), null);
}

async function sumBox(box) {
  pickOnly({ box });
  const items = box.list.items.slice(box.first, box.last + 1), which = [...new Set(items.flatMap((item) => item.rows))];
  const all = (box.to - box.from) * weightOf(which), sums = make("div", { class: "tl-sums" }, make("p", null, "Adding up …"));
  const names = items.length > 1 ? `${items[0].name} to ${items[items.length - 1].name}` : items[0].name;
  const mine = choose(plural(which.length, "row"), make("p", null, names), make("p", null, `${spellAt(box.from)} to ${spellAt(box.to)}: ${spell(box.to - box.from)}`), sums,
    make("p", { class: "tl-row" }, button("Zoom to it", () => goBox(box)), button("Clear", clear)));
  const got = await addUp(which, box.from, box.to, (part) => {
    if (mine === job) sums.replaceChildren(make("p", null, `Adding up … ${Math.round(part * 100)} %`));
    return mine === job;
  });
  if (mine !== job) return;
  sums.replaceChildren(classTable(got.sums, all, got.coarse ? "Time of all these rows, rounded" : "Time of all these rows"), ...regionTable(which, box.from, box.to, all).filter(Boolean));
  const top = classes.map((one, at) => [got.sums[at], one.name]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  tell(`${plural(which.length, "row")}, ${spell(box.to - box.from)}: ${top.map(([ticks, name]) => `${name} ${percent(ticks / all)}`).join(", ")}`);
}

function listMarks() {
  if (!marks.length) return;
  const list = make("ol", { class: "tl-marks" });
  marks.forEach((mark, at) => list.append(make("li", null, make("button", { type: "button", "data-at": at, onclick: () => goMark(at) },
    make("b", null, spell(mark.ticks)), ` ${mark.name}`, make("span", null, rows[mark.row].name)))));
  waitList.replaceChildren(make("h3", null, "Longest waits"), list);
}

function showMark() {
  for (const one of waitList.querySelectorAll("button")) {
    const now = +one.dataset.at === state.mark;
    one.tabIndex = +one.dataset.at === Math.max(0, state.mark) ? 0 : -1;
    if (!now) one.removeAttribute("aria-current");
    else if (one.getAttribute("aria-current") !== "true") {
      one.setAttribute("aria-current", "true");
      if (side.scrollHeight <= side.clientHeight) waitList.scrollTop = one.offsetTop - waitList.clientHeight / 2;
    }
  }
}

function goMark(at) {
  const mark = marks[at], caused = mark.cause_row >= 0;
  pickOnly({ mark: at });
  goTo(caused ? Math.min(mark.begin, mark.cause_time) : mark.begin, caused ? Math.max(mark.end, mark.cause_time) : mark.end, [mark.row], 26);
  choose(`${mark.name}: ${spell(mark.ticks)}`, make("p", null, `${rows[mark.row].name}, between ${spellAt(mark.begin, (mark.end - mark.begin) / 100)} and ${spellAt(mark.end, (mark.end - mark.begin) / 100)}`),
    mark.at ? make("p", null, "in ", make("code", { title: mark.at }, shortPath(mark.at))) : null,
    caused ? make("p", null, `because of ${mark.cause || rows[mark.cause_row].name}`, mark.cause_at ? ", in " : "", mark.cause_at ? make("code", { title: mark.cause_at }, shortPath(mark.cause_at)) : "") : null,
    make("p", { class: "tl-row" }, caused ? button("Show the cause", () => goTo(mark.cause_time - (mark.end - mark.begin), mark.cause_time, [mark.cause_row], 26)) : "",
      button("Previous", () => goMark((at + marks.length - 1) % marks.length)), button("Next", () => goMark((at + 1) % marks.length))));
}

const messageTime = (one, end) => spellAt(one[end], Math.abs(one.received - one.sent) / 100);

function showMessage(one) {
  const [first, last] = [one.sent, one.received].sort((a, b) => a - b), late = one.received - one.sent;
  pickOnly({ message: one });
  const lines = [["From", one.sender], ["To", one.receiver], ["Length", spellBytes(one.bytes)], ["Sent", messageTime(one, "sent")], ["Received", messageTime(one, "received")],
    ["On its way", late >= 0 ? spell(late) : `received ${spell(-late)} before it is sent: clocks disagree`]];
  choose("Message", make("table", { class: "tl-table" }, make("tbody", null, ...lines.map(([name, text]) => make("tr", null, make("th", { scope: "row" }, name), make("td", null, text))))),
    make("p", { class: "tl-row" }, button("Show the sender", () => goTo(first, last, [one.from], 26)), button("Show the receiver", () => goTo(first, last, [one.to], 26))));
  tell(`Message of ${spellBytes(one.bytes)} from ${one.sender} to ${one.receiver}`);
}
