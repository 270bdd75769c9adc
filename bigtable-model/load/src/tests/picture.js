// After the picture's own script: uses it as a reader does, and leaves what it sees in the page.
const say = (seen) => { document.body.dataset.seen = JSON.stringify(seen); };

function use() {
  const panel = panels[0], canvas = panel.canvas, edge = canvas.getBoundingClientRect();
  const at = (right, down) => {
    const box = panel.box();
    return { clientX: edge.left + LEFT + right * box.w, clientY: edge.top + TOP + down * box.h };
  };
  const send = (kind, place) =>
    canvas.dispatchEvent(new PointerEvent(kind, { bubbles: true, button: 0, pointerId: 1, ...place }));
  const seen = { panels: panels.length, drawn: [...new Set(drawn)] };

  send("pointermove", at(.501, .501));
  seen.tip = tip.hidden ? null : tip.innerText;
  send("pointerleave", at(.5, .5));
  seen.gone = tip.hidden;
  send("pointerdown", at(.501, .501));
  send("pointerup", at(.501, .501));
  send("pointerleave", at(.5, .5));
  seen.stays = !tip.hidden && tip.classList.contains("kept");
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  seen.closed = tip.hidden;

  send("pointerdown", at(.25, .5));
  send("pointermove", at(.4, .6));
  send("pointerup", at(.75, 1));
  seen.zoomed = { ...panel.view };
  seen.back = !panel.back.disabled;
  panel.back.click();
  seen.whole = { ...panel.view };

  const pixel = () => [...panel.raster.getContext("2d").getImageData(0, 0, 1, 1).data];
  const back = () => getComputedStyle(document.body).backgroundColor;
  seen.first = [back(), pixel()];
  document.getElementById("theme").click();
  seen.second = [back(), pixel()];
  const slider = document.getElementById("brightness"), places = panel.levels.length;
  const sum = () => panel.raster.getContext("2d").getImageData(0, 0, panel.data.steps, panel.data.ranges).data
    .reduce((sum, value) => sum + value, 0);
  const before = sum();
  slider.value = "2";
  slider.dispatchEvent(new Event("input"));
  seen.brightness = sum() - before;
  seen.places = places;
  let rows = 0;
  for (let range = 0; range < panel.data.ranges; range++) {
    for (let step = 0; step < panel.data.steps; step++) rows += panel.rows(range, step);
  }
  seen.rows = rows;
  seen.faults = faults;
  say(seen);
}

const wait = setInterval(() => {
  if (!panels.every((panel) => panel.levels)) return;
  clearInterval(wait);
  try { use(); } catch (error) { say({ faults: [String(error && error.stack || error)] }); }
}, 10);
