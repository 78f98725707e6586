// Charts of a sweep: designs as points, as lines over all that differs, as a map of two parameters.
import * as Plot from "@observablehq/plot";
import { longest, STYLE } from "./charts";
import { short } from "./format";
import type { SweepResult } from "./schema";
import { cellsOf, describe, frontOf, type Cell, type Choice, type Quantity } from "./sweep_views";

const MOST_LINES = 1500; // more hide each other, and make the page slow
const textOf = (row: SweepResult, quantities: Quantity[]): string =>
  `${describe(row)}\n${quantities.map(({ key, title, show }) => `${title}: ${row[key] === null ? "–" : show(row[key] ?? 0)}`).join("\n")}`;

/** Two quantities of all designs; a line joins those that none beats in both. */
export function pointsChart(rows: SweepResult[], x: Quantity, y: Quantity, picked: SweepResult | undefined) {
  const points = rows.filter((row) => row[x.key] !== null && row[y.key] !== null);
  const front = frontOf(rows, x.key, y.key);
  const on = new Set(front);
  return (width: number): Element => Plot.plot({
    width, style: STYLE, height: 340, marginLeft: 72, marginRight: 24, marginBottom: 40, marginTop: 26,
    x: { label: x.title, grid: true, nice: true, ticks: Math.max(2, Math.floor((width - 200) / 90)), tickFormat: short },
    y: { label: y.title, grid: true, nice: true, ticks: 6, tickFormat: y.key === "energy_pj" ? y.show : short },
    marks: [
      Plot.line(front, { x: x.key, y: y.key, stroke: "var(--limit)", curve: "step-after", strokeWidth: 1.3 }),
      Plot.dot(points, {
        x: x.key, y: y.key, r: points.length > 400 ? 3 : 4.5, fillOpacity: 0.75, stroke: "var(--surface)",
        fill: (row: SweepResult) => (on.has(row) ? "var(--limit)" : "var(--bar)"), title: (row: SweepResult) => textOf(row, [x, y]), tip: true,
      }),
      Plot.dot(picked && points.includes(picked) ? [picked] : [], { x: x.key, y: y.key, r: 8, stroke: "currentColor", strokeWidth: 2 }),
    ],
  });
}

interface Stop {
  row: SweepResult;
  axis: string;
  place: number; // 0 below, 1 above
  text: string;
}

interface Axis {
  title: string;
  place: (row: SweepResult) => number | null;
  ticks: Array<{ place: number; text: string }>;
}

function choiceAxis({ title, of, values }: Choice): Axis {
  const place = (value: string) => values.indexOf(value) / (values.length - 1);
  const step = Math.ceil(values.length / 9);
  return { title, place: (row) => place(of(row)), ticks: values.filter((_, i) => i % step === 0).map((value) => ({ place: place(value), text: value })) };
}

function quantityAxis({ key, title, show }: Quantity, rows: SweepResult[]): Axis {
  const known = rows.map((row) => row[key] ?? 0).filter((value) => value > 0);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const place = (value: number) => (high > low ? Math.log(value / low) / Math.log(high / low) : 0.5);
  return {
    title, place: (row) => { const value = row[key]; return value === null || value <= 0 ? null : place(value); },
    ticks: (high > low ? [low, high] : [low]).map((value) => ({ place: place(value), text: show(value) })),
  };
}

/** The rows that are drawn as lines: all, or those with the lowest EDP. */
export function drawnRows(rows: SweepResult[]): SweepResult[] {
  const found = rows.filter((row) => row.energy_pj !== null);
  return found.length <= MOST_LINES ? found : found.sort((a, b) => (a.edp ?? Infinity) - (b.edp ?? Infinity)).slice(0, MOST_LINES);
}

/** A line for each design, over everything that differs and everything that was found (logarithmic, low is less). */
export function parallelChart(rows: SweepResult[], choices: Choice[], quantities: Quantity[], picked: SweepResult | undefined) {
  const drawn = drawnRows(rows);
  const differ = quantities.filter(({ key }) => new Set(drawn.map((row) => row[key])).size > 1);
  const axes = [...choices.map(choiceAxis), ...differ.map((one) => quantityAxis(one, drawn))];
  const on = new Set(frontOf(drawn, "cycles", "energy_pj"));
  const stops: Stop[] = drawn.flatMap((row) => axes.flatMap((axis) => {
    const place = axis.place(row);
    return place === null ? [] : [{ row, axis: axis.title, place, text: textOf(row, quantities) }];
  }));
  const colour = (stop: Stop) => (stop.row === picked ? "var(--ink)" : on.has(stop.row) ? "var(--limit)" : "var(--bar)");
  return (room: number): Element => {
    const width = Math.max(room, 112 * axes.length);
    return Plot.plot({
      width, style: STYLE, height: 360, marginLeft: 60, marginRight: 70, marginTop: 34, marginBottom: 16,
      x: { type: "point", domain: axes.map((axis) => axis.title), axis: null, padding: 0.1 },
      y: { domain: [0, 1], axis: null },
      marks: [
        Plot.ruleX(axes.map((axis) => axis.title), { stroke: "var(--muted)" }),
        Plot.line(stops, {
          x: "axis", y: "place", z: "row", stroke: colour, strokeWidth: (stop: Stop) => (stop.row === picked ? 3 : 1.2),
          strokeOpacity: (stop: Stop) => (stop.row === picked || on.has(stop.row) ? 0.9 : drawn.length > 150 ? 0.2 : 0.4),
          sort: (stop: Stop) => (stop.row === picked ? 2 : on.has(stop.row) ? 1 : 0),
        }),
        Plot.text(axes.flatMap((axis) => axis.ticks.map((tick) => ({ ...tick, axis: axis.title }))), {
          x: "axis", y: "place", text: "text", dx: 6, textAnchor: "start", stroke: "var(--surface)", strokeWidth: 4, fill: "currentColor",
        }),
        Plot.text(axes, {
          x: "title", y: () => 1, dy: -18, text: (axis: Axis) => axis.title, fontWeight: 600, lineWidth: Math.max(6, width / axes.length / 9), lineAnchor: "bottom",
          textAnchor: "middle",
        }),
        Plot.tip(stops, Plot.pointer({ x: "axis", y: "place", title: "text" })),
      ],
    });
  };
}

/** The least of a quantity over two parameters. */
export function heatChart(rows: SweepResult[], x: Choice, y: Choice, quantity: Quantity) {
  const cells = cellsOf(rows, x, y, quantity.key);
  const values = cells.map((cell) => cell.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const depth = (value: number) => (high > low ? 0.08 + (0.62 * Math.log(value / low)) / Math.log(high / low) : 0.3);
  return (width: number): Element => Plot.plot({
    width, style: STYLE, height: 70 + 34 * y.values.length, marginLeft: longest(y.values), marginRight: 8, marginTop: 30, marginBottom: 40,
    x: { type: "band", domain: x.values, label: x.title, padding: 0.03 },
    y: { type: "band", domain: [...y.values].reverse(), label: y.title, padding: 0.03 },
    marks: [
      Plot.cell(cells, {
        x: "x", y: "y", fill: "var(--bar)", fillOpacity: (cell: Cell) => depth(cell.value), title: (cell: Cell) => textOf(cell.row, [quantity]), tip: true,
      }),
      Plot.cell(cells.filter((cell) => cell.value === low), { x: "x", y: "y", fill: "none", stroke: "var(--limit)", strokeWidth: 2 }),
      ...((width - 100) / x.values.length > 62 ? [Plot.text(cells, { x: "x", y: "y", text: (cell: Cell) => quantity.show(cell.value) })] : []),
    ],
  });
}
