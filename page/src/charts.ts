// Charts, drawn with Observable Plot.
import * as Plot from "@observablehq/plot";
import { count, digits, edp, energy, energyUnit, percent, short } from "./format";
import type { Layer, Part, Resource, Result } from "./views";
import { by, distinct, limitOf, sum } from "./views";

export const STYLE = { fontSize: "12px", fontFamily: "inherit", background: "none", overflow: "visible" };
/** Ticks of a logarithmic axis: 1, 2 and 5 where there are few decades, else 1 alone. */
export function logTick(low: number, high: number): (value: number) => string {
  const wide = high / low > 300;
  return (value) => {
    const first = Number(value.toExponential(0)[0]);
    if (first !== 1 && (wide || (first !== 2 && first !== 5))) return "";
    return value >= 1e7 ? value.toExponential(0).replace("e+", "e") : digits(value);
  };
}

export const longest = (names: string[]): number => Math.min(190, 16 + 7 * Math.max(4, ...names.map((name) => name.length)));

export function energyChart(parts: Part[], colours: Map<string, string>) {
  return (width: number): Element => {
    const levels = distinct(parts.map((one) => one.level));
    const { unit, size } = energyUnit(Math.max(...by(parts, "level").values()));
    return Plot.plot({
      width, style: STYLE, marginLeft: longest(levels), marginRight: 48, marginBottom: 36, height: 56 + 30 * levels.length,
      x: { label: `energy (${unit})`, grid: true, nice: true },
      y: { label: null, domain: levels },
      color: { domain: [...colours.keys()], range: [...colours.values()] },
      marks: [
        Plot.barX(parts, {
          y: "level", x: (one: Part) => one.pj / size, fill: "part", insetTop: 2, insetBottom: 2, order: [...colours.keys()],
          title: (one: Part) => `${one.level}, ${one.part}\n${energy(one.pj)}`, tip: true,
        }),
        Plot.text([...by(parts, "level")], {
          y: ([level]: [string, number]) => level, x: ([, pj]: [string, number]) => pj / size, dx: 5, textAnchor: "start",
          text: ([, pj]: [string, number]) => digits(pj / size, 3),
        }),
      ],
    });
  };
}

/** Bars of cycles; beside each its share of the whole. */
export function timeChart(resources: Resource[], whole: number, label: string) {
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(resources.map((one) => one.name)), marginRight: 56, marginBottom: 36,
    height: 56 + 26 * resources.length,
    x: { label, grid: true, domain: [0, whole], ticks: Math.max(2, Math.floor((width - 200) / 90)), tickFormat: short },
    y: { label: null, domain: resources.map((one) => one.name) },
    marks: [
      Plot.barX(resources, {
        y: "name", x: "cycles", insetTop: 3, insetBottom: 3,
        fill: (one: Resource) => (one.cycles >= whole ? "var(--limit)" : "var(--bar)"),
        title: (one: Resource) => `${one.name}\n${count(one.cycles)} cycles, ${percent(one.cycles / whole)}`, tip: true,
      }),
      Plot.text(resources, { y: "name", x: "cycles", dx: 5, textAnchor: "start", text: (one: Resource) => percent(one.cycles / whole) }),
    ],
  });
}

interface Point {
  name: string;
  result: string;
  x: number;
  y: number;
  macs: number;
  limit: string;
}

/** Layers below the roofs of the multipliers and of the outermost memory that has a bandwidth. */
export interface Roofline {
  level: string;
  peak: number;
  slope: number | null; // bytes per cycle, the most that any layer has
  points: Point[];
}

export function rooflineOf(results: Result[]): Roofline | null {
  const layers = results.flatMap((one) => one.layers.map((layer) => ({ layer, result: one.label })));
  const first = layers.find(({ layer }) => layer.result)?.layer.result;
  if (!first) return null;
  const level = (first.rates.memories.find((one) => one.bytes_per_cycle !== null) ?? first.rates.memories[0])?.level ?? "";
  const points: Point[] = [];
  const slopes: number[] = [];
  for (const { layer, result } of layers) {
    const rate = layer.result?.rates.memories.find((one) => one.level === level);
    if (!layer.result || !rate || rate.useful_macs_per_byte === null) continue;
    if (rate.bytes_per_cycle !== null) slopes.push(rate.bytes_per_cycle);
    points.push({
      name: layer.name, result, x: rate.useful_macs_per_byte, y: layer.result.rates.useful_macs_per_cycle,
      macs: layer.count * layer.macs, limit: limitOf(layer.result),
    });
  }
  if (points.length === 0) return null;
  const peak = Math.max(...layers.map(({ layer }) => layer.result?.rates.peak_macs_per_cycle ?? 0));
  return { level, peak, slope: slopes.length > 0 ? Math.max(...slopes) : null, points };
}

export function rooflineChart(roof: Roofline, colours: Map<string, string>) {
  const { peak, slope, points } = roof;
  return (width: number): Element => {
    const xs = points.map((one) => one.x);
    const ridge = slope === null ? [] : [peak / slope];
    const low = Math.min(...xs, ...ridge) / 2;
    const high = Math.max(...xs, ...ridge) * 2;
    const at = (x: number) => (slope === null ? peak : Math.min(peak, x * slope));
    const line = [low, ...ridge, high].map((x) => ({ x, y: at(x) }));
    const least = Math.min(...points.map((one) => one.y), at(low)) / 2;
    return Plot.plot({
      width, style: STYLE, height: 340, marginLeft: 64, marginRight: 24, marginTop: 34, marginBottom: 40,
      x: { type: "log", label: `useful MACs per byte of ${roof.level}`, domain: [low, high], grid: true, tickFormat: logTick(low, high) },
      y: { type: "log", label: "useful MACs per cycle", domain: [least, peak * 2], grid: true, tickFormat: logTick(least, peak * 2) },
      color: { domain: [...colours.keys()], range: [...colours.values()] },
      marks: [
        Plot.line(line, { x: "x", y: "y", stroke: "currentColor", strokeWidth: 1.5 }),
        Plot.text([{ x: high, y: peak }], { x: "x", y: "y", text: () => `all multipliers: ${digits(peak)} MACs per cycle`, textAnchor: "end", dy: -16 }),
        ...(slope === null ? [] : [Plot.text([{ x: low, y: at(low) }], {
          x: "x", y: "y", text: () => `${roof.level}: ${digits(slope, 3)} bytes per cycle at most`, textAnchor: "start", dx: 8, dy: 14 })]),
        Plot.dot(points, {
          x: "x", y: "y", fill: "result", fillOpacity: 0.65, stroke: "var(--surface)", strokeWidth: 1, r: points.length > 60 ? 4 : 5.5,
          title: (one: Point) => `${one.name}\n${digits(one.y)} MACs per cycle, ${digits(one.x)} MACs per byte\nlimited by ${one.limit}`,
          tip: true,
        }),
      ],
    });
  };
}

interface Bar {
  number: number;
  name: string;
  value: number;
  text: string;
}

function barsOf(layers: Layer[], value: (layer: Layer) => number, text: (value: number) => string): Bar[] {
  return layers.map((layer, i) => ({ number: i + 1, name: layer.name, value: value(layer), text: text(value(layer)) }));
}

function layerBars(bars: Bar[], label: string, width: number, share: boolean): Element {
  const numbers = bars.map((one) => one.number);
  const step = Math.ceil(bars.length / Math.max(4, width / 42));
  return Plot.plot({
    width, style: STYLE, height: 170, marginLeft: 64, marginRight: 8, marginTop: 26, marginBottom: 34,
    x: { type: "band", label: "layer", domain: numbers, ticks: numbers.filter((n) => n === 1 || n % step === 0), padding: 0.15 },
    y: { label, grid: true, ticks: 5, ...(share ? { domain: [0, 100] } : { tickFormat: short }) },
    marks: [
      Plot.barY(bars, { x: "number", y: "value", fill: "var(--bar)", title: (one: Bar) => `${one.number}: ${one.name}\n${one.text}`, tip: true }),
      Plot.ruleY([0]),
    ],
  });
}

export function utilisationChart(layers: Layer[]) {
  const bars = barsOf(layers, (one) => 100 * (one.result?.utilisation ?? 0), (value) => `${digits(value, 3)} %`);
  return (width: number): Element => layerBars(bars, "utilisation (%)", width, true);
}

export function edpChart(layers: Layer[]) {
  const bars = barsOf(layers, (one) => one.result?.edp_pj_cycles ?? 0, edp);
  return (width: number): Element => layerBars(bars, "EDP of one occurrence (pJ·cycles)", width, false);
}

export function paretoChart(fronts: Result[], colours: Map<string, string>, pick: (number: number) => void) {
  const points = fronts.flatMap((front) => (front.front?.points ?? []).map((one, i) => ({
    front: front.label, cycles: one.cycles, pj: one.energy_pj, number: i, text: `point ${i + 1} of ${front.label}\n${energy(one.energy_pj)}\n${count(one.cycles)} cycles`,
  })));
  return (width: number): Element => {
    const { unit, size } = energyUnit(Math.max(...points.map((one) => one.pj)));
    const chart = Plot.plot({
      width, style: STYLE, height: 320, marginLeft: 64, marginRight: 24, marginBottom: 40, marginTop: 26,
      x: { label: "cycles", grid: true, nice: true, ticks: Math.max(2, Math.floor((width - 200) / 90)), tickFormat: short }, y: { label: `energy (${unit})`, grid: true, nice: true },
      color: { domain: [...colours.keys()], range: [...colours.values()] },
      marks: [
        Plot.line(points, { x: "cycles", y: (one) => one.pj / size, z: "front", stroke: "front", curve: "step-after", strokeWidth: 1.5 }),
        Plot.dot(points, { x: "cycles", y: (one) => one.pj / size, fill: "front", stroke: "var(--surface)", r: 5, title: "text", tip: true }),
      ],
    });
    chart.addEventListener("click", () => {
      const near = (chart as unknown as { value?: { number: number } | null }).value;
      if (near) pick(near.number);
    });
    return chart;
  };
}

export interface Change {
  name: string;
  pj: number;
}

/** What is less to the left, what is more to the right. */
export function changeChart(changes: Change[]) {
  return (width: number): Element => {
    const { unit, size } = energyUnit(Math.max(...changes.map((one) => Math.abs(one.pj)), 1e-9));
    return Plot.plot({
      width, style: STYLE, marginLeft: longest(changes.map((one) => one.name)), marginRight: 64, marginBottom: 36, height: 56 + 26 * changes.length,
      x: { label: `difference of energy (${unit})`, grid: true, nice: true, labelAnchor: "center" },
      y: { label: null, domain: changes.map((one) => one.name) },
      marks: [
        Plot.barX(changes, {
          y: "name", x: (one: Change) => one.pj / size, insetTop: 3, insetBottom: 3, fill: (one: Change) => (one.pj < 0 ? "var(--less)" : "var(--more)"),
          title: (one: Change) => `${one.name}\n${one.pj > 0 ? "+" : ""}${energy(one.pj)}`, tip: true,
        }),
        Plot.ruleX([0]),
      ],
    });
  };
}

export const allOf = (parts: Part[]): number => sum(parts.map((one) => one.pj));
