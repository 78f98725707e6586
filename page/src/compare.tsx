// Two or more results side by side: what differs by level, tensor and layer.
import { useMemo, useState } from "preact/hooks";
import { seriesColours } from "./colours";
import { changeChart, paretoChart, type Change } from "./charts";
import { count, digits, energy, percent, relation } from "./format";
import { Chart, Figure, Legend, Picker, Section, Table, type Column } from "./parts";
import type { ComparisonDocument, Difference } from "./schema";
import { RooflineSection } from "./sections";
import { by, distinct, limitOf, sumOfParts, type Part, type Result } from "./views";

interface Both {
  name: string;
  a: number;
  b: number;
}

function changesOf(a: Part[], b: Part[], key: "level" | "part"): Both[] {
  const [before, after] = [by(a, key), by(b, key)];
  return distinct([...before.keys(), ...after.keys()])
    .map((name) => ({ name, a: before.get(name) ?? 0, b: after.get(name) ?? 0 }))
    .sort((one, other) => Math.abs(other.b - other.a) - Math.abs(one.b - one.a));
}

const nameOfPart = (one: Part): string => (one.part === "compute" ? "compute" : `${one.part} at ${one.level}`);

/** By level and tensor at once, the largest difference first. */
function finest(a: Part[], b: Part[]): Both[] {
  const named = (parts: Part[]) => parts.map((one) => ({ ...one, part: nameOfPart(one) }));
  return changesOf(named(a), named(b), "part");
}

function why(a: Result, b: Result, parts: Both[]): string {
  if (!a.totals || !b.totals) return "";
  const { totals: before } = a;
  const { totals: after } = b;
  const better = after.edp_pj_cycles < before.edp_pj_cycles;
  const change = after.energy_pj - before.energy_pj;
  const main = parts.filter((one) => (one.b - one.a) * change > 0).slice(0, 3)
    .map((one) => `${one.name} (${one.b > one.a ? "+" : "−"}${energy(Math.abs(one.b - one.a))})`);
  const reason = main.length > 0 ? ` Of energy, most of the difference is ${main.join(", ")}.` : "";
  return `${b.label} takes ${relation(after.energy_pj, before.energy_pj)} energy and ${relation(after.cycles, before.cycles)} time than ${a.label}: its EDP is ${better ? "lower" : after.edp_pj_cycles === before.edp_pj_cycles ? "the same" : "higher"}.${reason}`
    .replace("the same energy", "as much energy").replace("the same time than", "as much time as");
}

/** The layers that make most of a difference, in energy and in time. */
function whichLayers(rows: LayerRow[]): string {
  if (rows.length < 2) return "";
  const most = (key: "energy_pj" | "cycles", text: (value: number) => string): string => {
    const changes = rows.flatMap(({ name, count: times, a, b }) => (a && b && a[key] !== b[key] ? [{ name, by: times * (b[key] - a[key]) }] : []));
    const all = changes.reduce((sum, one) => sum + one.by, 0);
    const main = changes.filter((one) => one.by * all > 0).sort((one, other) => Math.abs(other.by) - Math.abs(one.by)).slice(0, 3);
    return main.map((one) => `${one.name} (${one.by > 0 ? "+" : "−"}${text(Math.abs(one.by))})`).join(", ");
  };
  const [spent, taken] = [most("energy_pj", energy), most("cycles", (value) => `${count(value)} cycles`)];
  return `${spent === "" ? "" : ` By layer, it is mostly the energy of ${spent}.`}${taken === "" ? "" : ` The time is mostly that of ${taken}.`}`;
}

function DifferenceTable({ label, what, rows, names }: { label: string; what: string; rows: Both[]; names: [string, string] }) {
  const pj = (value: number) => <Figure value={value} text={energy(value)} />;
  const columns: Column<Both>[] = [
    { title: what, value: (row) => row.name },
    { title: names[0], numeric: true, value: (row) => row.a, show: (row) => pj(row.a) },
    { title: names[1], numeric: true, value: (row) => row.b, show: (row) => pj(row.b) },
    { title: "difference", numeric: true, value: (row) => row.b - row.a, show: (row) => pj(row.b - row.a) },
    { title: "ratio", numeric: true, value: (row) => row.b / row.a, show: (row) => (row.a > 0 ? digits(row.b / row.a, 3) : "–") },
  ];
  return <Table label={label} rows={rows} columns={columns} />;
}

function Differences({ id, title, rows, names, what }: { id: string; title: string; rows: Both[]; names: [string, string]; what: string }) {
  const changes: Change[] = useMemo(() => rows.filter((one) => one.a !== one.b).slice(0, 14).map((one) => ({ name: one.name, pj: one.b - one.a })), [rows]);
  const draw = useMemo(() => changeChart(changes), [changes]);
  return (
    <Section id={id} title={title}>
      {changes.length > 0 ? <Chart label={`difference of energy: ${title}; the table has the numbers`} draw={draw} /> : <p>No difference.</p>}
      <DifferenceTable label={title} what={what} rows={rows} names={names} />
    </Section>
  );
}

function Totals({ results }: { results: Result[] }) {
  const base = results[0]?.totals;
  const ratio = (value: number, of: number | undefined) => (of === undefined || of === 0 ? "" : ` (${digits(value / of, 3)}×)`);
  const column = (title: string, key: "energy_pj" | "cycles" | "edp_pj_cycles" | "utilisation", text: (value: number) => string): Column<Result> => ({
    title, numeric: true, value: (row) => row.totals?.[key] ?? -1,
    show: (row) => (row.totals ? <><Figure value={row.totals[key]} text={text(row.totals[key])} />{key === "utilisation" ? "" : ratio(row.totals[key], base?.[key])}</> : "–"),
  });
  const columns: Column<Result>[] = [
    { title: "result", value: (row) => row.label },
    { title: "work", value: (row) => row.work },
    { title: "architecture", value: (row) => row.architecture },
    column("energy", "energy_pj", energy), column("cycles", "cycles", count), column("EDP (pJ·cycles)", "edp_pj_cycles", digits),
    column("utilisation", "utilisation", percent),
  ];
  return <Table label="results" rows={results} columns={columns} />;
}

interface LayerRow {
  name: string;
  count: number;
  a?: { energy_pj: number; cycles: number; edp_pj_cycles: number; limit: string } | undefined;
  b?: { energy_pj: number; cycles: number; edp_pj_cycles: number; limit: string } | undefined;
}

function LayerDifferences({ id, rows, names }: { id: string; rows: LayerRow[]; names: [string, string] }) {
  const pair = (title: string, side: "a" | "b", key: "energy_pj" | "cycles", text: (value: number) => string): Column<LayerRow> => ({
    title, numeric: true, value: (row) => row[side]?.[key] ?? -1,
    show: (row) => { const cost = row[side]; return cost ? <Figure value={cost[key]} text={text(cost[key])} /> : "–"; },
  });
  const ratio = (title: string, key: "energy_pj" | "cycles" | "edp_pj_cycles"): Column<LayerRow> => ({
    title, numeric: true, value: (row) => (row.a && row.b ? row.b[key] / row.a[key] : -1),
    show: (row) => (row.a && row.b ? <span class={row.b[key] < row.a[key] ? "less" : row.b[key] > row.a[key] ? "more" : ""}>{digits(row.b[key] / row.a[key], 3)}×</span> : "–"),
  });
  const columns: Column<LayerRow>[] = [
    { title: "layer", value: (row) => row.name },
    { title: "count", numeric: true, value: (row) => row.count },
    pair(`energy, ${names[0]}`, "a", "energy_pj", energy), pair(`energy, ${names[1]}`, "b", "energy_pj", energy), ratio("energy ratio", "energy_pj"),
    pair(`cycles, ${names[0]}`, "a", "cycles", count), pair(`cycles, ${names[1]}`, "b", "cycles", count), ratio("cycles ratio", "cycles"),
    ratio("EDP ratio", "edp_pj_cycles"),
    { title: "limited by", value: (row) => (row.a?.limit === row.b?.limit ? row.a?.limit ?? "–" : `${row.a?.limit ?? "–"} → ${row.b?.limit ?? "–"}`) },
  ];
  return (
    <Section id={id} title="Differences by layer">
      <Table label="differences by layer" rows={rows} columns={columns} search={(row) => `${row.name} ${row.a?.limit ?? ""} ${row.b?.limit ?? ""}`} />
    </Section>
  );
}

function layerRows(a: Result, b: Result): LayerRow[] {
  const cost = (result: Result, name: string) => {
    const one = result.layers.find((layer) => layer.name === name)?.result;
    return one && { energy_pj: one.energy_pj, cycles: one.cycles, edp_pj_cycles: one.edp_pj_cycles, limit: limitOf(one) };
  };
  const names = distinct([...a.layers, ...b.layers].map((layer) => layer.name));
  if (a.kind === "layer" && b.kind === "layer") {
    const [one, other] = [a.layers[0], b.layers[0]];
    return [{ name: a.work === b.work ? a.work : `${a.work} / ${b.work}`, count: 1, a: one && cost(a, one.name), b: other && cost(b, other.name) }];
  }
  return names.map((name) => ({ name, count: [...a.layers, ...b.layers].find((layer) => layer.name === name)?.count ?? 1, a: cost(a, name), b: cost(b, name) }));
}

function Pair({ a, b }: { a: Result; b: Result }) {
  const [before, after] = useMemo(() => [sumOfParts(a.layers), sumOfParts(b.layers)], [a, b]);
  const parts = useMemo(() => finest(before, after), [before, after]);
  const levels = useMemo(() => changesOf(before, after, "level"), [before, after]);
  const tensors = useMemo(() => changesOf(before, after, "part"), [before, after]);
  const rows = useMemo(() => layerRows(a, b), [a, b]);
  const names: [string, string] = [a.label, b.label];
  return (
    <>
      <p class="sentence">{why(a, b, parts)}{whichLayers(rows)}</p>
      <Differences id="by-level" title="Differences by level" what="level" rows={levels} names={names} />
      <Differences id="by-tensor" title="Differences by tensor" what="tensor" rows={tensors} names={names} />
      <Differences id="by-both" title="Differences by level and tensor" what="energy for" rows={parts} names={names} />
      <LayerDifferences id="by-layer" rows={rows} names={names} />
    </>
  );
}

export const sideColours = (results: Result[]): Map<string, string> => seriesColours(results.map((one) => one.label));

export function Compare({ results }: { results: Result[] }) {
  const [[first, second], choose] = useState<[number, number]>([0, 1]);
  const colours = useMemo(() => sideColours(results), [results]);
  const fronts = useMemo(() => results.filter((one) => one.front), [results]);
  const drawFronts = useMemo(() => paretoChart(fronts, colours, () => undefined), [fronts, colours]);
  const [a, b] = [results[first], results[second]];
  return (
    <div class="compare">
      <Section id="compared" title="Side by side">
        <Totals results={results} />
        {fronts.length > 0 && <><Legend colours={colours} /><Chart label="Pareto fronts of the results" draw={drawFronts} /></>}
        {results.length > 2 && (
          <p class="search"><Picker label="From" names={results.map((one) => one.label)} value={first} onChange={(value) => choose([value, second])} />
            <Picker label="to" names={results.map((one) => one.label)} value={second} onChange={(value) => choose([first, value])} /></p>
        )}
      </Section>
      {a && b && a.totals && b.totals && <Pair a={a} b={b} />}
      <RooflineSection id="rooflines" results={results} colours={colours} />
    </div>
  );
}

const bothOf = (one: Difference): Both => ({ name: one.what, a: one.a_pj, b: one.b_pj });

/** What `tilewright compare --json` printed. */
export function Compared({ data }: { data: ComparisonDocument }) {
  const names: [string, string] = [data.a, data.b];
  const [levels, tensors, differences] = useMemo(() => [data.levels.map(bothOf), data.tensors.map(bothOf), data.differences.map(bothOf)], [data]);
  const rows: LayerRow[] = useMemo(() => data.layers.map((layer) => ({
    name: layer.name, count: layer.count, a: layer.a ? { ...layer.a, limit: layer.a.limited_by } : undefined, b: layer.b ? { ...layer.b, limit: layer.b.limited_by } : undefined,
  })), [data]);
  const { a, b } = data.totals;
  return (
    <div class="compare">
      <p class="sentence">{data.work}: {data.b} takes {relation(b.energy_pj, a.energy_pj)} energy and {relation(b.cycles, a.cycles)} time, held against {data.a}.</p>
      <Differences id="by-level" title="Differences by level" what="level" rows={levels} names={names} />
      <Differences id="by-tensor" title="Differences by tensor" what="tensor" rows={tensors} names={names} />
      <Differences id="by-both" title="What makes the difference" what="energy for" rows={differences} names={names} />
      <LayerDifferences id="by-layer" rows={rows} names={names} />
      {data.command && <Section id="inputs" title="Inputs"><pre tabIndex={0}>{data.command}</pre></Section>}
    </div>
  );
}
