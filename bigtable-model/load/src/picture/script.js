"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
// From little to much; the first colour of a scale is that of no rows.
const SCALES = {
  light: [[255, 255, 255], [253, 226, 200], [246, 160, 112], [213, 83, 99], [132, 35, 116], [51, 10, 74]],
  dark: [[18, 20, 27], [57, 22, 92], [132, 37, 120], [212, 72, 98], [250, 149, 90], [252, 246, 190]],
};
const LEFT = 190, RIGHT = 52, TOP = 40, BOTTOM = 34;
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
document.body.append(tip);
let brightness = 0;
const panels = [];

const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function brief(number) {
  if (number === 0) return "0";
  if (number >= 1000) return Math.round(number).toLocaleString("en-US");
  if (number >= 10) return number.toFixed(0);
  return number >= 1 ? number.toFixed(1) : number.toPrecision(2);
}

// The colour of a level between 0 and 1.
function colour(level) {
  const scale = isDark() ? SCALES.dark : SCALES.light;
  const bent = level <= 0 ? 0 : Math.min(1, Math.pow(level, Math.pow(2, -brightness)));
  const at = bent * (scale.length - 1), low = Math.min(Math.floor(at), scale.length - 2), part = at - low;
  return scale[low].map((value, index) => Math.round(value + (scale[low + 1][index] - value) * part));
}

const shown = (micros) => new Date(micros / 1000).toISOString().replace(/\.?0*Z$/, "Z").replace("T", " ");
const SECOND = 1e6, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const GRIDS = [SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY,
  2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 365 * DAY, 3650 * DAY];

function ticks(from, to, most) {
  const grid = GRIDS.find((step) => (to - from) / step <= most) || GRIDS[GRIDS.length - 1];
  const all = [];
  for (let at = Math.ceil(from / grid) * grid; at <= to; at += grid) {
    const text = shown(at).replace("Z", "");
    all.push([at, grid >= DAY ? text.slice(0, 10) : grid >= MINUTE ? text.slice(5, 16) : text.slice(11)]);
  }
  return all;
}

// The columns of the axis of keys: what all values of a segment begin with is left out, such as a
// date, and a column is as wide as its values are long.
function columns(data) {
  const all = data.names.map((name, level) => {
    const values = data.keys.map((key) => key[level]).filter((value) => value !== undefined);
    let common = values[0] || "";
    for (const value of values) while (!value.startsWith(common)) common = common.slice(0, -1);
    const cut = values.every((value) => value === common) ? 0 : Math.max(-1, ...["T", " "].map((end) => common.lastIndexOf(end))) + 1;
    const length = Math.max(...values.map((value) => value.length - cut), 1);
    return { name, cut, weight: Math.min(14, Math.max(length, name.length, 3)) };
  });
  const sum = all.reduce((sum, one) => sum + one.weight, 0) || 1;
  let x = 2;
  for (const one of all) {
    one.x = x;
    one.width = (LEFT - 8) * one.weight / sum;
    x += one.width;
  }
  return all.length ? all : [{ name: "key", cut: 0, x: 2, width: LEFT - 8 }];
}

class Panel {
  constructor(data) {
    this.data = data;
    this.columns = columns(data);
    this.views = [{ x0: 0, x1: data.steps, y0: 0, y1: data.ranges }];
    const section = document.createElement("section");
    const top = document.createElement("div");
    top.className = "top";
    const heading = document.createElement("h2");
    heading.textContent = data.name;
    this.back = document.createElement("button");
    this.back.type = "button";
    this.back.textContent = "Back";
    this.back.disabled = true;
    this.back.addEventListener("click", () => this.zoomOut());
    top.append(heading, this.back);
    const sub = document.createElement("p");
    sub.className = "sub";
    sub.textContent = data.summary;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${data.name}: ${data.summary}`);
    const legend = document.createElement("div");
    legend.className = "legend";
    this.scale = document.createElement("canvas");
    const most = document.createElement("span");
    most.textContent = `${brief(data.most / data.seconds)} rows/s in one place`;
    legend.append("0", this.scale, most);
    section.append(top, sub, this.canvas, legend);
    if (data.is_judged) {
      const line = document.createElement("p");
      line.className = data.hot ? "hot" : "cool";
      line.textContent = data.hot || "No place is hot.";
      section.append(line);
    }
    document.getElementById("panels").append(section);
    this.listen();
    const image = new Image();
    image.onload = () => {
      const raster = document.createElement("canvas");
      raster.width = data.steps;
      raster.height = data.ranges;
      const context = raster.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const pixels = context.getImageData(0, 0, data.steps, data.ranges).data;
      this.levels = Uint8Array.from({ length: data.steps * data.ranges }, (_, index) => pixels[4 * index]);
      this.raster = raster;
      this.draw();
    };
    image.src = `data:image/png;base64,${data.png}`;
  }

  get view() { return this.views[this.views.length - 1]; }

  // How many rows a place has: the picture holds logarithms.
  rows(range, step) {
    const level = this.levels[range * this.data.steps + step] / 255;
    return Math.expm1(level * Math.log1p(this.data.most));
  }

  box() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    return { width, height, w: width - LEFT - RIGHT, h: height - TOP - BOTTOM };
  }

  draw() {
    if (!this.levels) return;
    const { data, canvas, view } = this, box = this.box(), ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const raster = this.raster.getContext("2d"), image = raster.createImageData(data.steps, data.ranges);
    for (let index = 0; index < this.levels.length; index++) {
      image.data.set([...colour(this.levels[index] / 255), 255], 4 * index);
    }
    raster.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.raster, view.x0, view.y0, view.x1 - view.x0, view.y1 - view.y0, LEFT, TOP, box.w, box.h);
    context.strokeStyle = css("--line");
    context.strokeRect(LEFT - .5, TOP - .5, box.w + 1, box.h + 1);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.drawTotals(context, box);
    this.drawTimes(context, box);
    this.drawKeys(context, box);
    if (this.drag) {
      const { x, y, toX, toY } = this.drag;
      context.strokeStyle = css("--text");
      context.setLineDash([4, 3]);
      context.strokeRect(Math.min(x, toX), Math.min(y, toY), Math.abs(toX - x), Math.abs(toY - y));
      context.setLineDash([]);
    }
    this.drawLegend();
  }

  drawLegend() {
    this.scale.width = 140;
    this.scale.height = 10;
    const context = this.scale.getContext("2d");
    for (let x = 0; x < 140; x++) {
      context.fillStyle = `rgb(${colour(x / 139)})`;
      context.fillRect(x, 0, 1, 10);
    }
  }

  drawTotals(context, box) {
    const { view } = this;
    const times = [], keys = [];
    for (let step = view.x0; step < view.x1; step++) {
      let sum = 0;
      for (let range = view.y0; range < view.y1; range++) sum += this.rows(range, step);
      times.push(sum);
    }
    for (let range = view.y0; range < view.y1; range++) {
      let sum = 0;
      for (let step = view.x0; step < view.x1; step++) sum += this.rows(range, step);
      keys.push(sum);
    }
    context.fillStyle = css("--dim");
    const mostTime = Math.max(...times, 1e-9), mostKey = Math.max(...keys, 1e-9);
    times.forEach((sum, at) => {
      const height = (TOP - 16) * sum / mostTime;
      context.fillRect(LEFT + at * box.w / times.length, TOP - 3 - height, Math.max(.5, box.w / times.length), height);
    });
    keys.forEach((sum, at) => {
      const width = (RIGHT - 6) * sum / mostKey;
      context.fillRect(LEFT + box.w + 3, TOP + at * box.h / keys.length, width, Math.max(.5, box.h / keys.length));
    });
    context.textAlign = "left";
    context.fillText(`${brief(mostTime / this.data.seconds)} rows/s`, LEFT, 7);
  }

  timeAt(step) { return this.data.start + (this.data.end - this.data.start) * step / this.data.steps; }

  drawTimes(context, box) {
    const { view } = this, from = this.timeAt(view.x0), to = this.timeAt(view.x1);
    context.fillStyle = context.strokeStyle = css("--dim");
    context.textAlign = "center";
    for (const [at, text] of ticks(from, to, Math.max(2, Math.floor(box.w / 84)))) {
      const x = LEFT + (at - from) / (to - from) * box.w;
      context.beginPath();
      context.moveTo(x, TOP + box.h);
      context.lineTo(x, TOP + box.h + 5);
      context.stroke();
      context.fillText(text, Math.min(Math.max(x, LEFT + 20), LEFT + box.w - 20), TOP + box.h + 14);
    }
    context.fillText("UTC", LEFT - 22, TOP + box.h + 14);
  }

  // The segments of the keys, one column each: equal values that follow each other are one block.
  drawKeys(context, box) {
    const { data, view } = this, height = box.h / (view.y1 - view.y0);
    const write = (text, x, y, width) => {
      context.save();
      context.beginPath();
      context.rect(x, y - 8, width - 4, 16);
      context.clip();
      context.fillText(text, x, y);
      context.restore();
    };
    context.textAlign = "left";
    this.columns.forEach(({ name, cut, x, width }, level) => {
      let free = -1, from = view.y0;
      for (let range = view.y0 + 1; range <= view.y1; range++) {
        const ends = range === view.y1 ||
          data.keys[range].slice(0, level + 1).join("\0") !== data.keys[from].slice(0, level + 1).join("\0");
        if (!ends) continue;
        const y = TOP + (from - view.y0) * height, text = data.keys[from][level];
        context.strokeStyle = css("--line");
        if ((range - from) * height > 12) {
          context.beginPath();
          context.moveTo(x, y);
          context.lineTo(LEFT - 4, y);
          context.stroke();
        }
        const middle = Math.min(Math.max(y + (range - from) * height / 2, TOP + 6), TOP + box.h - 6);
        const at = (range - from) * height > 24 ? Math.max(y + 8, TOP + 6) : middle;
        if (text !== undefined && at > free + 12) {
          context.fillStyle = css("--text");
          write(text.slice(cut), x, at, width);
          free = at;
        }
        from = range;
      }
      context.fillStyle = css("--dim");
      write(name, x, TOP - 12, width);
    });
  }

  // The range and step at a point, or nothing outside the map.
  place(x, y) {
    const { view } = this, box = this.box();
    const right = (x - LEFT) / box.w, down = (y - TOP) / box.h;
    if (right < 0 || right >= 1 || down < 0 || down >= 1) return null;
    return {
      step: Math.floor(view.x0 + right * (view.x1 - view.x0)),
      range: Math.floor(view.y0 + down * (view.y1 - view.y0)),
    };
  }

  listen() {
    const at = (event) => {
      const edge = this.canvas.getBoundingClientRect();
      return { x: event.clientX - edge.left, y: event.clientY - edge.top };
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      const { x, y } = at(event);
      if (event.button !== 0 || !this.place(x, y)) return;
      this.drag = { x, y, toX: x, toY: y };
      try { this.canvas.setPointerCapture(event.pointerId); } catch { /* no such pointer */ }
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const { x, y } = at(event);
      if (this.drag) {
        this.drag.toX = x;
        this.drag.toY = y;
        this.draw();
      }
      if (!tip.classList.contains("kept")) this.tell(x, y, event);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const drag = this.drag;
      this.drag = null;
      if (!drag) return;
      const { x, y } = at(event);
      if (Math.abs(x - drag.x) > 5 || Math.abs(y - drag.y) > 5) {
        this.zoomIn(drag.x, drag.y, x, y);
      } else {
        tip.classList.remove("kept");
        this.tell(x, y, event);
        tip.classList.toggle("kept", !tip.hidden);
      }
      this.draw();
    });
    this.canvas.addEventListener("pointerleave", () => {
      if (!tip.classList.contains("kept")) tip.hidden = true;
    });
    this.canvas.addEventListener("dblclick", () => this.zoomOut());
  }

  tell(x, y, event) {
    const place = this.levels && this.place(x, y);
    tip.hidden = !place;
    if (!place) return;
    const { data } = this, { range, step } = place, rows = this.rows(range, step);
    const key = (at) => at < data.keys.length
      ? data.keys[at].map((value, level) => `${data.names[level] || "key"}=${value}`).join(" ") : "the end";
    const lines = [
      [`${brief(rows / data.seconds)} rows/s`, `, about ${brief(rows)} rows ${data.done}`],
      ["from ", key(range)],
      ["to ", key(range + 1)],
      ["at ", `${shown(this.timeAt(step))} to ${shown(this.timeAt(step + 1))}`],
    ];
    tip.replaceChildren(...lines.map(([strong, rest]) => {
      const line = document.createElement("div"), bold = document.createElement("b");
      bold.textContent = strong;
      line.append(bold, rest);
      return line;
    }));
    const left = Math.min(event.pageX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${event.pageY + 14}px`;
  }

  zoomIn(x, y, toX, toY) {
    const box = this.box(), { view } = this;
    const cut = (value, from, size) => Math.min(1, Math.max(0, (value - from) / size));
    const part = (one, other, low, high) => {
      const from = low + Math.min(one, other) * (high - low), to = low + Math.max(one, other) * (high - low);
      return [Math.floor(from), Math.max(Math.floor(from) + 1, Math.ceil(to))];
    };
    const [x0, x1] = part(cut(x, LEFT, box.w), cut(toX, LEFT, box.w), view.x0, view.x1);
    const [y0, y1] = part(cut(y, TOP, box.h), cut(toY, TOP, box.h), view.y0, view.y1);
    this.views.push({ x0, x1: Math.min(x1, view.x1), y0, y1: Math.min(y1, view.y1) });
    this.back.disabled = false;
    this.draw();
  }

  zoomOut() {
    if (this.views.length > 1) this.views.pop();
    this.back.disabled = this.views.length === 1;
    this.draw();
  }
}

const redraw = () => panels.forEach((panel) => panel.draw());
DATA.panels.forEach((data) => panels.push(new Panel(data)));
document.getElementById("brightness").addEventListener("input", (event) => {
  brightness = Number(event.target.value);
  redraw();
});
document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  redraw();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  tip.classList.remove("kept");
  tip.hidden = true;
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
new ResizeObserver(redraw).observe(document.getElementById("panels"));
