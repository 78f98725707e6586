// How numbers are written. The page shows them rounded; their exact values go along in <data>.

const PREFIXES: Array<[number, string]> = [
  [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"], [1e-15, "f"],
];

/** Four digits at most, without an exponent where that is readable. */
export function digits(value: number, count = 4): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(count - 1).replace("e+", "e");
  return Number(value.toPrecision(count)).toLocaleString("en-US", { maximumFractionDigits: 8 });
}

function prefixed(value: number, unit: string, count = 4): string {
  const size = Math.abs(value);
  const [scale, prefix] = PREFIXES.find(([least]) => size >= least * 0.99995) ?? [1, ""];
  return value === 0 ? `0 ${unit}` : `${digits(value / scale, count)} ${prefix}${unit}`;
}

export const energy = (pj: number): string => prefixed(pj * 1e-12, "J");
export const seconds = (value: number): string => prefixed(value, "s");
export const count = (value: number): string => value.toLocaleString("en-US");
export const cycles = (value: number): string => `${count(value)} cycles`;
/** A whole number of any length, as digits, with commas. */
export const whole = (text: string): string => text.replace(/\B(?=(\d{3})+$)/g, ",");
export const edp = (value: number): string => `${digits(value)} pJ·cycles`;
export const percent = (share: number): string => `${digits(100 * share, 3)} %`;

/** Large counts in a few digits: 21.8 M. */
export function short(value: number): string {
  const [scale, prefix] = PREFIXES.find(([least]) => least >= 1 && Math.abs(value) >= least) ?? [1, ""];
  return `${digits(value / scale, 3)}${prefix === "" ? "" : ` ${prefix}`}`;
}

/** The unit in which a chart of energies is readable. */
export function energyUnit(pj: number): { unit: string; size: number } {
  const units: Array<[number, string]> = [[1e12, "J"], [1e9, "mJ"], [1e6, "µJ"], [1e3, "nJ"]];
  const [size, unit] = units.find(([least]) => pj >= least) ?? [1, "pJ"];
  return { unit, size };
}

/** "3.1 % less", "2.4 times as much" */
export function relation(after: number, before: number): string {
  if (before === after) return "the same";
  const ratio = after / before;
  if (ratio > 2) return `${digits(ratio, 3)} times as much`;
  const change = percent(Math.abs(ratio - 1));
  return ratio < 1 ? `${change} less` : `${change} more`;
}
