// Draws the learning curve of a run: `node docs/curve.mjs RUN_DIR > docs/learning-curve.svg`.
// Reads RUN_DIR/dapo/metrics.jsonl: mean clinic reward, accuracy and dollars of the sampled episodes, one point an update.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const WIDTH = 720;
const HEIGHT = 300;
const MARGIN = { left: 52, right: 52, top: 26, bottom: 40 };

/** Lines of a metrics file that hold all keys. */
function read(file, keys) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return lines.filter((line) => keys.every((key) => Number.isFinite(line[key])));
}

/** Mean over the last `window` points. */
function smooth(values, window) {
  return values.map((_, index) => {
    const part = values.slice(Math.max(0, index - window + 1), index + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

function line(values, low, high, style) {
  const x = (index) => MARGIN.left + (index / Math.max(1, values.length - 1)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value) => HEIGHT - MARGIN.bottom - ((value - low) / (high - low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return `<polyline points="${points}" fill="none" ${style}/>`;
}

function axis(low, high, side, format) {
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return ticks
    .map((share) => {
      const y = HEIGHT - MARGIN.bottom - share * (HEIGHT - MARGIN.top - MARGIN.bottom);
      const x = side === "left" ? MARGIN.left - 6 : WIDTH - MARGIN.right + 6;
      const anchor = side === "left" ? "end" : "start";
      const grid = side === "left" ? `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y}" y2="${y}" stroke="#8884"/>` : "";
      return `${grid}<text x="${x}" y="${y + 4}" text-anchor="${anchor}">${format(low + share * (high - low))}</text>`;
    })
    .join("");
}

const directory = process.argv[2];
if (!directory) {
  console.error("usage: node docs/curve.mjs RUN_DIR > docs/learning-curve.svg");
  process.exit(2);
}
const keys = ["critic/rewards/mean", "episode/accuracy", "episode/dollars"];
const lines = read(join(directory, "dapo", "metrics.jsonl"), keys);
const [reward, accuracy, dollars] = keys.map((key) => smooth(lines.map((entry) => entry[key]), 10));
const most = Math.max(5, Math.ceil(Math.max(...dollars) / 5) * 5);
const legend = [
  ["clinic reward", "#1f77b4"],
  ["accuracy", "#2ca02c"],
  ["dollars (right)", "#d62728"],
];
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${axis(0, 1, "left", (value) => value.toFixed(2))}${axis(0, most, "right", (value) => `$${value.toFixed(0)}`)}
${line(accuracy, 0, 1, 'stroke="#2ca02c" stroke-width="2"')}
${line(reward, 0, 1, 'stroke="#1f77b4" stroke-width="2"')}
${line(dollars, 0, most, 'stroke="#d62728" stroke-width="2" stroke-dasharray="5 4"')}
<text x="${WIDTH / 2}" y="${HEIGHT - 8}" text-anchor="middle">DAPO updates (1 to ${lines.length}), mean of the last 10</text>
${legend.map(([label, color], index) => `<text x="${MARGIN.left + index * 130}" y="16" fill="${color}">${label}</text>`).join("")}
</svg>`);
