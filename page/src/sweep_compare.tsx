// Two sweeps side by side: results of equal work and settings.
import { useMemo, useState } from "preact/hooks";
import { digits } from "./format";
import { Figure, Picker, Section, Table, type Column } from "./parts";
import type { SweepDocument, SweepResult } from "./schema";
import { describe } from "./sweep_views";

interface Named {
  label: string;
  data: SweepDocument;
}

interface Pair {
  a: SweepResult;
  b: SweepResult;
}

/** All but the architecture: that is what sweeps mostly differ in. */
const keyOf = (row: SweepResult): string =>
  [row.work, row.mapspace, row.mapper, row.objective, ...Object.entries(row.settings).map((pair) => pair.join("=")).sort()].join("\n");

/** Results that both have; where one has several of a kind, its first. */
function pairsOf(a: SweepDocument, b: SweepDocument): Pair[] {
  const first = new Map(a.results.toReversed().map((row) => [keyOf(row), row]));
  const second = new Map(b.results.toReversed().map((row) => [keyOf(row), row]));
  return [...first].toReversed().flatMap(([key, row]) => { const other = second.get(key); return other ? [{ a: row, b: other }] : []; });
}

function bestText({ label: from, data: a }: Named, { label: to, data: b }: Named): string {
  return Object.entries(a.best).flatMap(([work, number]) => {
    const [one, other] = [a.results[number]?.edp, b.results[b.best[work] ?? -1]?.edp];
    return one && other ? [`${work}: the lowest EDP of ${to} is ${digits(other / one, 3)} times that of ${from}`] : [];
  }).join("; ");
}

function columnsOf(a: Named, b: Named): Column<Pair>[] {
  const edp = (title: string, side: "a" | "b"): Column<Pair> => ({
    title: `EDP, ${title}`, numeric: true, value: (row) => row[side].edp ?? Infinity,
    show: (row) => { const found = row[side].edp; return found === null ? "–" : <Figure value={found} text={digits(found)} />; },
  });
  const ratio = (title: string, key: "energy_pj" | "cycles" | "edp"): Column<Pair> => {
    const value = (row: Pair) => (row.a[key] === null || row.b[key] === null ? null : (row.b[key] ?? 0) / (row.a[key] ?? 1));
    return {
      title, numeric: true, value: (row) => value(row) ?? Infinity,
      show: (row) => { const found = value(row); return found === null ? "–" : <span class={found < 1 ? "less" : found > 1 ? "more" : ""}>{digits(found, 3)}×</span>; },
    };
  };
  return [
    { title: "work", value: (row) => row.a.work },
    { title: "settings", value: (row) => Object.entries(row.a.settings).map(([path, value]) => `${path} = ${value}`).join(", ") },
    edp(a.label, "a"), edp(b.label, "b"), ratio("EDP ratio", "edp"), ratio("energy ratio", "energy_pj"), ratio("cycles ratio", "cycles"),
  ];
}

export function ComparedSweeps({ sweeps }: { sweeps: Named[] }) {
  const [[first, second], choose] = useState<[number, number]>([0, 1]);
  const [a, b] = [sweeps[first] as Named, sweeps[second] as Named];
  const pairs = useMemo(() => pairsOf(a.data, b.data), [a, b]);
  const columns = useMemo(() => columnsOf(a, b), [a, b]);
  const names = sweeps.map((one) => one.label);
  return (
    <Section id="sweeps" title="Sweeps side by side">
      {sweeps.length > 2 && <p class="search"><Picker label="From" names={names} value={first} onChange={(value) => choose([value, second])} />
        <Picker label="to" names={names} value={second} onChange={(value) => choose([first, value])} /></p>}
      <p>{bestText(a, b)}.</p>
      {pairs.length > 0
        ? <Table label="results of equal work and settings" rows={pairs} columns={columns} search={(row) => describe(row.a)} />
        : <p>They have no result of equal work and settings.</p>}
    </Section>
  );
}
