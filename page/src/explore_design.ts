// The architecture as a document: which values can be edited, and what can be added to it.
import type { Design, Level, Scalar } from "./explore_ask";

export type Kind = "memory" | "fanout" | "compute";

export const kindOf = (level: Level): Kind => ("memory" in level ? "memory" : "fanout" in level ? "fanout" : "compute");
export const nameOf = (level: Level): string => String(level[kindOf(level)] ?? "");

const isMap = (value: unknown): value is Level => value !== null && typeof value === "object" && !Array.isArray(value);
const isEditable = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value) || (Array.isArray(value) && value.every((one) => typeof one === "string"));

/** Keys of a level that can be edited, with those of its axes: "x.size". */
export function fieldsOf(level: Level): string[] {
  return Object.entries(level).flatMap(([key, value]) => {
    if (key === kindOf(level)) return [];
    if (isMap(value)) return Object.keys(value).filter((inner) => isEditable(value[inner])).map((inner) => `${key}.${inner}`);
    return isEditable(value) ? [key] : [];
  });
}

/** The value of a field as it stands in its input. */
export function read(level: Level, field: string): Scalar {
  const [key = "", inner] = field.split(".");
  const value = inner === undefined ? level[key] : (level[key] as Level)[inner];
  return Array.isArray(value) ? value.join(", ") : (value as Scalar);
}

export function write(level: Level, field: string, text: Scalar): Level {
  const [key = "", inner] = field.split(".");
  const before = inner === undefined ? level[key] : (level[key] as Level)[inner];
  const value = Array.isArray(before) ? String(text).split(",").map((one) => one.trim()).filter((one) => one !== "") : text;
  return { ...level, [key]: inner === undefined ? value : { ...(level[key] as Level), [inner]: value } };
}

export function without(level: Level, field: string): Level {
  const [key = "", inner] = field.split(".");
  if (inner === undefined) return Object.fromEntries(Object.entries(level).filter(([one]) => one !== key));
  return { ...level, [key]: without(level[key] as Level, inner) };
}

// What a field begins with when it is added; the file format has all of them (tilewright explain architecture).
const BEGINNINGS: Record<Kind, Level> = {
  memory: {
    read: "1 pJ", write: "1 pJ", update: "1 pJ", bandwidth: "4 words/cycle", read_bandwidth: "4 words/cycle", write_bandwidth: "4 words/cycle", block: "1 words",
    word: "8 bits", leakage: "0.01 pJ/cycle", area: "0.1 mm2", class: "sram", dram: "lpddr4", width: "64 bits", banks: 1, ports: 1, keep: ["input", "weight", "output"],
    bypass: ["weight"], free: ["weight"], double_buffered: true, accumulate: "in_place",
  },
  fanout: { x: 4, y: 4, multicast: false, reduction: false, word_energy: "0.1 pJ", wire: "1 mm", word: "8 bits" },
  compute: { energy: "1 pJ", macs: 1, cycles: 1, area: "500 um2", mac: "int8" },
};

export const addable = (level: Level): string[] => Object.keys(BEGINNINGS[kindOf(level)]).filter((key) => !(key in level));
export const withField = (level: Level, key: string): Level => ({ ...level, [key]: BEGINNINGS[kindOf(level)][key] });

function freshName(design: Design, wanted: string): string {
  const taken = new Set(design.levels.map(nameOf));
  let name = wanted;
  for (let i = 2; taken.has(name); i += 1) name = `${wanted}${i}`;
  return name;
}

/** A level more, inside the one at a place. Its energies are estimated, for which a technology is needed. */
export function withLevel(design: Design, place: number, kind: "memory" | "fanout"): Design {
  const level: Level = kind === "memory"
    ? { memory: freshName(design, "Buffer"), capacity: "64 KiB", word: "8 bits", class: "sram", width: "64 bits" }
    : { fanout: freshName(design, "Array"), x: 2 };
  const levels = [...design.levels.slice(0, place + 1), level, ...design.levels.slice(place + 1)];
  const estimated = kind === "memory" && !("technology" in design) ? { technology: "32 nm" } : {};
  return { ...design, ...estimated, levels };
}

export const withoutLevel = (design: Design, place: number): Design => ({ ...design, levels: design.levels.filter((_, i) => i !== place) });

// --- numbers -------------------------------------------------------------------------

export interface Quantity {
  number: number;
  unit: string;
}

/** A number with its unit; nothing if it is none, such as "unlimited". */
export function quantityIn(value: Scalar): Quantity | null {
  const found = /^([0-9]*\.?[0-9]+)\s*([A-Za-z].*)?$/.exec(String(value));
  return found ? { number: Number(found[1]), unit: found[2] ?? "" } : null;
}

const WHOLE = /^(words|B|bits|)$/;

/** The value at a place of the slider: as many doublings from where it began. */
export function scaled(base: Quantity, doublings: number, wasNumber: boolean): Scalar {
  const value = base.number * 2 ** doublings;
  const number = WHOLE.test(base.unit) ? Math.max(1, Math.round(value)) : Number(value.toPrecision(4));
  return wasNumber ? number : `${number} ${base.unit}`.trim();
}
