// One colour per tensor and per kind of energy, everywhere on the page; style.css has their values
// in light and dark.
import type { Part } from "./views";

const SPARE = ["--extra1", "--extra2", "--extra3", "--extra4"];
const FIXED: Record<string, string> = { leakage: "--leakage", network: "--network", compute: "--compute" };

/** Colours by name of a part: the first tensor of a role has the colour of the role. */
export function coloursOf(parts: Part[]): Map<string, string> {
  const colours = new Map<string, string>();
  const taken = new Set<string>();
  for (const { part, role } of parts) {
    if (colours.has(part)) continue;
    const wanted = FIXED[role] ?? `--${role}`;
    const colour = taken.has(wanted) ? SPARE.find((one) => !taken.has(one)) ?? "--leakage" : wanted;
    taken.add(colour);
    colours.set(part, `var(${colour})`);
  }
  const last = ["compute", "network", "leakage"];
  return new Map([...colours].sort(([a], [b]) => last.indexOf(a) - last.indexOf(b)));
}

const SERIES = ["--weight", "--input", "--output", ...SPARE, "--compute", "--limit", "--ink", "--network"];

/** Colours for things that are no tensors, in their order. */
export const seriesColours = (names: string[]): Map<string, string> =>
  new Map(names.map((name, i) => [name, `var(${SERIES[i % SERIES.length]})`]));
