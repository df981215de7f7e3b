"use strict";
// Shows the columns as a table of rows that exist only while they are in view, fills the
// pictures with names, colours rows, and opens a card on click. Names are always set as text.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const arrays = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
  const unpack = ({ type, bytes }) =>
    new arrays[type](Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)).buffer);
  const col = Object.fromEntries(Object.entries(data.columns).map(([k, v]) => [k, unpack(v)]));
  const names = data.names;
  const n = names.length;
  col.rank = new Uint32Array(n);
  col.order.forEach((j, i) => { col.rank[j] = i + 1; });
  const numbers = [...col.order].filter((j) => !data.nominal[j]);
  const spreadRank = new Uint32Array(n);
  [...numbers].sort((a, b) => (col.spread[b] || 0) - (col.spread[a] || 0))
    .forEach((j, i) => { spreadRank[j] = i + 1; });
  const $ = (id) => document.getElementById(id);
  const show = (x) => (Number.isNaN(x) ? "" : Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3)
    ? x.toExponential(2) : String(Number(x.toPrecision(4))));
  const share = (x) => (x === 0 ? "0" : x < 0.001 ? "<0.1%" : `${Number((100 * x).toPrecision(3))}%`);
  const flat = (name, width) => {
    const text = name.slice(0, 400).replace(/\s+/g, " ");
    return text.length > width ? `${text.slice(0, width - 1)}…` : text;
  };
  const typical = (j) => (data.nominal[j] ? data.nominal[j][0] ?? "" : show(col.mean[j]));

  // The table: `view` holds the features that are shown, in order.
  const HEIGHT = 35;
  const scroller = $("scroller");
  const body = document.querySelector("#table tbody");
  let sort = { key: null, down: false };
  let view = [...col.order];
  let marked = new Set();

  const compare = (a, b) => {
    const texts = { name: names, kind: data.kinds }[sort.key];
    if (texts) return texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0;
    const x = col[sort.key][a], y = col[sort.key][b];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return x - y;
  };
  const spacer = (rows) => {
    const row = document.createElement("tr");
    const cell = document.createElement("td");
    cell.colSpan = 4; // more would make columns where the narrow table has none
    cell.style.cssText = `height:${rows * HEIGHT}px;padding:0;border:0`;
    row.append(cell);
    return row;
  };
  const makeRow = (j) => {
    const row = document.createElement("tr");
    row.dataset.feature = j;
    row.tabIndex = 0;
    if (marked.has(j)) row.className = "marked";
    const cells = [col.rank[j], flat(names[j], 120), `${col.low[j]}–${col.high[j]}`, show(col.score[j]),
      data.kinds[j], col.values[j].toLocaleString("en"), show(col.deviations[j]), typical(j),
      show(col.spread[j]), share(col.missing[j]), share(col.zero[j])];
    cells.forEach((text, i) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      if (i === 1) cell.className = "name";
      if (i > 3) cell.className = "wide";
      row.append(cell);
    });
    return row;
  };
  const draw = () => {
    const first = Math.max(0, Math.floor(scroller.scrollTop / HEIGHT) - 10);
    const last = Math.min(view.length, first + Math.ceil(scroller.clientHeight / HEIGHT) + 20);
    body.replaceChildren(spacer(first), ...view.slice(first, last).map(makeRow),
      spacer(view.length - last));
  };
  const refresh = () => {
    const words = $("search").value.trim().toLowerCase();
    const only = $("only").checked && marked.size > 0;
    view = [...col.order].filter((j) => (!only || marked.has(j))
      && (!words || names[j].toLowerCase().includes(words)));
    view.sort((a, b) => (sort.down ? compare(b, a) : compare(a, b)) || col.rank[a] - col.rank[b]);
    $("count").textContent = `${view.length.toLocaleString("en")} of ${n.toLocaleString("en")} columns`;
    scroller.scrollTop = 0;
    draw();
  };
  const setSort = (key) => {
    const falling = !["rank", "name", "low", "kind"].includes(key);
    sort = { key, down: sort.key === key ? !sort.down : falling };
    document.querySelectorAll("#table th").forEach((th) => {
      const own = th.firstElementChild.dataset.sort === key;
      if (own) th.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    refresh();
  };

  // Names that were pasted; a name may itself hold a comma, so whole lines are tried first.
  const position = new Map(names.map((name, j) => [name, j]));
  const highlight = () => {
    marked = new Set();
    let unknown = 0;
    for (const line of $("paste").value.split("\n")) {
      const whole = line.trim();
      if (!whole) continue;
      const parts = position.has(whole) ? [whole] : whole.split(/[,;\t]/).map((s) => s.trim());
      for (const part of parts.filter(Boolean)) {
        if (position.has(part)) marked.add(position.get(part)); else unknown += 1;
      }
    }
    $("matched").textContent = marked.size || unknown
      ? `${marked.size} found${unknown ? `, ${unknown} unknown` : ""}` : "";
    if (source) source.selected.indices = [...marked].map((j) => col.rank[j] - 1);
    refresh();
  };

  const download = () => {
    const quote = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const digits = (x) => (Number.isNaN(x) ? "" : String(Number(x.toPrecision(7))));
    const lines = ["feature,rank,rank_low,rank_high,score,type,values,explained,chance,beyond_chance,mean,mode,spread,missing,zero"];
    for (const j of view) {
      lines.push([quote(names[j]), col.rank[j], col.low[j], col.high[j], digits(col.score[j]),
        data.kinds[j], col.values[j], digits(col.explained[j]), digits(col.chance[j]),
        digits(col.deviations[j]), digits(col.mean[j]), quote(String(data.nominal[j]?.[0] ?? "")), digits(col.spread[j]),
        digits(col.missing[j]), digits(col.zero[j])].join(","));
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }));
    link.download = "features.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  // The card of a feature.
  const why = (j) => {
    const out = [`Rank ${col.rank[j]} of ${n}, between ${col.low[j]} and ${col.high[j]} ${data.repeats}; `
      + `among the top ${data.top} in ${col.frequency[j]}% of them.`];
    if (!(col.spread[j] > 0)) return `${out[0]} The column never changes, so it cannot tell rows apart.`;
    const more = col.beyond[j] ? "more than chance" : "which chance could give as well";
    out.push(`It explains ${share(col.explained[j])} of the variance of the other columns, ${more} `
      + `(${share(col.chance[j])} with its rows shuffled).`);
    if (!data.nominal[j] && numbers.length > 1) {
      out.push(`By spread it is number ${spreadRank[j]} of the ${numbers.length} numeric columns.`);
    }
    out.push(`${col.strong[j] || "None"} of the ${data.leading} leading columns `
      + `${col.strong[j] > 1 ? "are" : "is"} strongly associated with it (at least ${data.strong}).`);
    if (col.missing[j] > 0) out.push(`${share(col.missing[j])} of its values are missing.`);
    if (col.zero[j] > 0.5) out.push(`${share(col.zero[j])} of its values are zero.`);
    return out.join(" ");
  };
  const openCard = (j) => {
    $("card-name").textContent = names[j].slice(0, 2000);
    $("card-why").textContent = why(j);
    const nominal = data.nominal[j];
    const most = nominal ? Math.max(1, ...nominal[2]) : 35;
    const bars = nominal ? nominal[2] : [...data.histograms[j]].map((c) => parseInt(c, 36));
    $("card-bars").replaceChildren(...bars.map((value, i) => {
      const bar = document.createElement("i");
      bar.style.height = `${(100 * value) / most}%`;
      if (nominal) bar.title = `${nominal[1][i]}: ${value}`;
      return bar;
    }));
    const range = nominal ? nominal[1].map((c, i) => `${c}: ${nominal[2][i]}`).join(", ")
      : `from ${show(col.min[j])} to ${show(col.max[j])}, mean ${show(col.mean[j])}, spread ${show(col.spread[j])}`;
    $("card-range").textContent = range;
    $("card-bars").setAttribute("aria-label", `Distribution: ${range}`);
    const near = [];
    for (let i = 0; i < data.neighbours; i += 1) {
      const other = col.nearest[j * data.neighbours + i];
      const strength = col.association[j * data.neighbours + i];
      if (!strength) continue;
      const item = document.createElement("li");
      const link = document.createElement("button");
      link.className = "link";
      link.type = "button";
      link.textContent = flat(names[other], 80);
      link.addEventListener("click", () => openCard(other));
      item.append(link, ` (association ${(strength / 100).toFixed(2)}, rank ${col.rank[other]})`);
      near.push(item);
    }
    $("card-colour").hidden = !data.rows[j] || !$("colour-by");
    $("card-colour").value = j;
    $("card-near").replaceChildren(...(near.length ? near : ["none is similar"]));
    if (!$("card").open) $("card").showModal();
    $("card").scrollTop = 0;
  };

  // Pictures: Bokeh draws asynchronously, so wait for its document.
  let source = null;
  const label = (name, width) => flat(name, width).replaceAll("$$", "$\u200b$");
  const nameTicks = (axis, features, at, width) => {
    axis.major_label_overrides = new Map(features.map((j, i) => [at(i), label(names[j], width)]));
  };
  const fillPictures = () => {
    const doc = window.Bokeh && window.Bokeh.documents[0];
    if (!doc || !doc.get_model_by_name("heat-names")) { setTimeout(fillPictures, 50); return; }
    const narrow = window.innerWidth < 600;
    source = doc.get_model_by_name("features");
    if (source) fillFeatures(narrow ? 4 : 8);
    if (!narrow || data.heat.length <= 25) {
      nameTicks(doc.get_model_by_name("heat-names"), data.heat, (i) => i + 0.5, narrow ? 10 : 16);
    }
    const map = doc.get_model_by_name("group-names");
    if (map) {
      nameTicks(map, data.groups, (i) => data.groups.length - i - 0.5, narrow ? 12 : 24);
      if (!narrow) nameTicks(doc.get_model_by_name("group-names-below"), data.groups, (i) => i + 0.5, 16);
    }
    rowSource = doc.get_model_by_name("rows");
    colourRows();
    document.body.dataset.ready = "yes";
  };
  const fillFeatures = (labelled) => {
    const pick = (values) => Float64Array.from(col.order, (j) => values[j]);
    const spread = Float64Array.from(col.order, (j) => (data.nominal[j] ? NaN : col.spread[j]));
    source.data = { name: Array.from(col.order, (j) => flat(names[j], 60)), rank: pick(col.rank),
      label: Array.from(col.order, (j, i) => (i < labelled ? label(names[j], 20) : "")),
      colour: Array.from(col.order, (j) => (col.beyond[j] ? data.palettes.kinds[0] : data.palettes.quiet)),
      score: pick(col.score), spread };
    source.selected.properties.indices.change.connect(() => {
      const chosen = source.selected.indices;
      if (chosen.length === 1 && marked.size !== 1) openCard(col.order[chosen[0]]);
    });
  };

  // The rows in the planes take the colours of a label or of a column.
  let rowSource = null;
  const swatch = (colour, text, kind = "") => {
    const out = document.createElement("span");
    const mark = document.createElement("i");
    mark.style.background = colour;
    mark.className = kind;
    out.append(mark, text);
    return out;
  };
  const legendOf = (by, missing) => {
    const { kinds, sequence } = data.palettes;
    const entries = by.nominal
      ? by.legend.map((text, i) => swatch(text.endsWith(" others") && i === kinds.length - 1 ? kinds.at(-1) : kinds[i], text))
      : [swatch(`linear-gradient(to right, ${[0, 64, 128, 192, 254].map((i) => sequence[i]).join(",")})`,
        `by rank, from ${by.legend[0] ?? "?"} to ${by.legend[1] ?? "?"}`, "scale")];
    return missing ? [...entries, swatch(data.palettes.missing, "missing")] : entries;
  };
  const colourRows = () => {
    if (!rowSource || !$("colour-by")) return;
    const chosen = $("colour-by").value;
    const by = chosen === "label" ? data.label : data.rows[chosen];
    const { kinds, sequence, missing } = data.palettes;
    const count = rowSource.data.colour.length;
    const places = by ? unpack(by.places) : new Uint8Array(count);
    const palette = by && !by.nominal ? sequence : kinds;
    rowSource.data = { ...rowSource.data, colour: Array.from(places, (p) => (p === 255 ? missing : palette[p])) };
    $("row-legend").replaceChildren(...(by ? legendOf(by, places.includes(255)) : []));
  };
  const colourByCard = () => {
    $("colour-by").value = $("card-colour").value;
    $("card").close();
    colourRows();
    $("rows").scrollIntoView();
  };

  scroller.addEventListener("scroll", draw);
  window.addEventListener("resize", draw);
  document.querySelectorAll("[data-sort]").forEach((b) =>
    b.addEventListener("click", () => setSort(b.dataset.sort)));
  $("search").addEventListener("input", refresh);
  $("paste").addEventListener("input", highlight);
  $("only").addEventListener("change", refresh);
  $("download").addEventListener("click", download);
  $("card-colour").addEventListener("click", colourByCard);
  $("colour-by")?.addEventListener("change", colourRows);
  const chosenBy = (event) => event.target.closest("[data-feature]");
  document.addEventListener("click", (event) => {
    const chosen = chosenBy(event);
    if (chosen) openCard(Number(chosen.dataset.feature));
  });
  body.addEventListener("keydown", (event) => {
    const chosen = chosenBy(event);
    if (chosen && event.key === "Enter") openCard(Number(chosen.dataset.feature));
  });
  setSort("rank");
  fillPictures();
})();
