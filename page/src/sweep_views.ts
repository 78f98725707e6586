// What a sweep varied and what it found, as its charts show it.
import { count, digits, energy, seconds } from "./format";
import type { SweepDocument, SweepResult } from "./schema";

type NumberKey = "energy_pj" | "cycles" | "edp" | "latency_s" | "power_w" | "area_um2" | "MACs";

export interface Quantity {
  key: NumberKey;
  title: string;
  show: (value: number) => string;
}

const QUANTITIES: Quantity[] = [
  { key: "energy_pj", title: "energy", show: energy },
  { key: "cycles", title: "cycles", show: count },
  { key: "edp", title: "EDP (pJ·cycles)", show: digits },
  { key: "latency_s", title: "latency", show: seconds },
  { key: "power_w", title: "power (W)", show: (value) => digits(value, 3) },
  { key: "area_um2", title: "area (mm²)", show: (value) => digits(value / 1e6, 3) },
  { key: "MACs", title: "multipliers", show: count },
];

/** Those that some result has; an area of 0 is one that nobody gave. */
export const quantitiesOf = (data: SweepDocument): Quantity[] =>
  QUANTITIES.filter(({ key }) => data.results.some((row) => (row[key] ?? 0) > 0));

/** Something that differs between designs, with its values in the order in which they were given. */
export interface Choice {
  title: string;
  of: (row: SweepResult) => string;
  values: string[];
}

export function choicesOf(data: SweepDocument): Choice[] {
  const given: Array<[string, (row: SweepResult) => string, string[]]> = [
    ["architecture", (row) => row.architecture, data.architectures],
    ...data.parameters.map(({ path, values }): [string, (row: SweepResult) => string, string[]] => [path, (row) => row.settings[path] ?? "", values]),
    ["map-space", (row) => row.mapspace, []],
    ["mapper", (row) => row.mapper, []],
    ["objective", (row) => row.objective, []],
  ];
  return given.map(([title, of, order]) => {
    const seen = new Set(data.results.map(of));
    return { title, of, values: [...new Set([...order.filter((value) => seen.has(value)), ...seen])] };
  }).filter(({ values }) => values.length > 1);
}

export const describe = (row: SweepResult): string =>
  [`${row.work} on ${row.architecture}`, ...Object.entries(row.settings).map(([path, value]) => `${path} = ${value}`)].join("\n");

/** Results that no other beats in both of two quantities, by the first of them. */
export function frontOf(rows: SweepResult[], x: NumberKey, y: NumberKey): SweepResult[] {
  const known = rows.filter((row) => row[x] !== null && row[y] !== null);
  known.sort((a, b) => (a[x] ?? 0) - (b[x] ?? 0) || (a[y] ?? 0) - (b[y] ?? 0));
  let least = Infinity;
  return known.filter((row) => {
    const below = (row[y] ?? 0) < least;
    if (below) least = row[y] ?? 0;
    return below;
  });
}

export interface Cell {
  x: string;
  y: string;
  value: number;
  row: SweepResult; // the one with that value
}

/** The least of a quantity for each pair of values, whatever else differs. */
export function cellsOf(rows: SweepResult[], x: Choice, y: Choice, key: NumberKey): Cell[] {
  const cells = new Map<string, Cell>();
  for (const row of rows) {
    const value = row[key];
    if (value === null) continue;
    const place = `${x.of(row)}\n${y.of(row)}`;
    const found = cells.get(place);
    if (!found || value < found.value) cells.set(place, { x: x.of(row), y: y.of(row), value, row });
  }
  return [...cells.values()];
}
