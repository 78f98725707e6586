// What `tilewright codesign` prints: the best design of a space, how few were mapped, and those that were.
import { count, digits, energy, percent } from "./format";
import { Figure, Section, Table, Tile, type Column } from "./parts";
import type { CodesignDocument, SweepResult } from "./schema";

const settingsOf = (settings: Record<string, string>): string => Object.entries(settings).map(([path, value]) => `${path} = ${value}`).join(", ");

const figure = (title: string, key: "energy_pj" | "cycles" | "edp", text: (value: number) => string): Column<SweepResult> => ({
  title, numeric: true, value: (row) => row[key] ?? -1, show: (row) => { const found = row[key]; return found === null ? "–" : <Figure value={found} text={text(found)} />; },
});

const MAPPED: Column<SweepResult>[] = [
  { title: "work", value: (row) => row.work }, { title: "architecture", value: (row) => row.architecture }, { title: "settings", value: (row) => settingsOf(row.settings) },
  figure("energy", "energy_pj", energy), figure("cycles", "cycles", count), figure("EDP (pJ·cycles)", "edp", digits),
  { title: "proof", value: (row) => (row.proven ? "proven" : row.reason || "not proven") },
];

export function Codesign({ data }: { data: CodesignDocument }) {
  const proof = data.proven ? "Proven: no design of the space is better."
    : `Not proven${data.gap === null ? "" : `: at most ${percent(data.gap)} above the best`}.${data.why_no_bound ? ` ${data.why_no_bound}` : ""}`;
  return (
    <>
      <p class="sentence">The best of {count(data.designs)} designs is {data.architecture}{Object.keys(data.settings).length > 0 ? ` with ${settingsOf(data.settings)}` : ""}.</p>
      <div class="figures">
        <Tile name="Objective" value={data.value} text={digits(data.value)} note={`at least ${digits(data.bound)}`} />
        <Tile name="Designs" value={data.designs} text={count(data.designs)} note="in the space" />
        <Tile name="Mapped" value={data.mapped} text={count(data.mapped)} note={`${percent(data.mapped / data.designs)} of them`} />
        <Tile name="Excluded" value={data.excluded} text={count(data.excluded)} note={`by the bounds of ${count(data.boxes)} boxes`} />
      </div>
      <p class="proof">{proof}</p>
      <Section id="mapped" title="Designs that were mapped"><Table label="designs that were mapped" rows={data.results} columns={MAPPED} search={(row) => `${row.work} ${row.architecture} ${settingsOf(row.settings)}`} /></Section>
    </>
  );
}
