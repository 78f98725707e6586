// What `tilewright arena` prints: mappers held against the proven optimum.
import * as Plot from "@observablehq/plot";
import { useMemo, useState } from "preact/hooks";
import { logTick, longest, STYLE } from "./charts";
import { seriesColours } from "./colours";
import { count, digits, seconds, short } from "./format";
import { Chart, Figure, Legend, Picker, Section, Table, type Column } from "./parts";
import type { ArenaDocument, ArenaLayer, Run, Standing } from "./schema";
import { titleOf } from "./views";

interface Point {
  mapper: string;
  layer: ArenaLayer;
  run: Run;
}

const nameOf = (layer: ArenaLayer): string => `${layer.layer} of ${layer.network} on ${layer.architecture}`;
const HEIGHT_OF_ROW = 24;

/** A point for each layer: how far above the optimum; a line is the mean. */
function qualityChart(data: ArenaDocument) {
  const points: Point[] = data.layers.flatMap((layer) => layer.runs.filter((run) => run.ratio !== null).map((run) => ({ mapper: run.mapper, layer, run })));
  const mappers = data.standings.map((one) => one.mapper);
  const high = Math.max(1.1, ...points.map((one) => one.run.ratio ?? 1));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(mappers), marginRight: 24, marginBottom: 40, height: 60 + HEIGHT_OF_ROW * mappers.length,
    x: { type: "log", label: "value over optimum", domain: [1, high * 1.05], grid: true, tickFormat: logTick(1, high) },
    y: { label: null, domain: mappers },
    marks: [
      Plot.dot(points, {
        y: "mapper", x: (one: Point) => one.run.ratio, r: 3.5, fill: "var(--bar)", fillOpacity: 0.5,
        title: (one: Point) => `${one.mapper}\n${nameOf(one.layer)}\n${digits(one.run.ratio ?? 1)} times the optimum\n${seconds(one.run.seconds)}`, tip: true,
      }),
      Plot.tickX(data.standings.filter((one) => one.mean_ratio !== null), { y: "mapper", x: "mean_ratio", stroke: "var(--limit)", strokeWidth: 2.5 }),
    ],
  });
}

/** The mean quality against the time that it took. */
function timeChart(standings: Standing[], colours: Map<string, string>) {
  const known = standings.filter((one) => one.mean_ratio !== null);
  const [low, high] = [Math.min(...known.map((one) => one.seconds)) / 2, Math.max(...known.map((one) => one.seconds)) * 2];
  const worst = Math.max(1.1, ...known.map((one) => one.mean_ratio ?? 1));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, height: 300, marginLeft: 60, marginRight: 90, marginBottom: 40, marginTop: 26,
    x: { type: "log", label: "seconds, all layers", domain: [low, high], grid: true, tickFormat: logTick(low, high) },
    y: { type: "log", label: "mean of value over optimum", domain: [1, worst * 1.1], grid: true, tickFormat: logTick(1, worst) },
    color: { domain: [...colours.keys()], range: [...colours.values()] },
    marks: [
      Plot.dot(known, {
        x: "seconds", y: "mean_ratio", fill: "mapper", r: 6, stroke: "var(--surface)",
        title: (one: Standing) => `${one.mapper}\n${digits(one.mean_ratio ?? 1)} times the optimum\n${seconds(one.seconds)}, ${count(one.mappings_seen)} mappings`, tip: true,
      }),
    ],
  });
}

interface Progress {
  mapper: string;
  seen: number;
  ratio: number;
}

/** The best so far against the mappings looked at, to the end of each search. */
function progressOf(layer: ArenaLayer): Progress[] {
  return layer.runs.flatMap((run) => {
    const steps = (run.steps ?? []).filter((step) => step.ratio !== null).map((step) => ({ mapper: run.mapper, seen: Math.max(1, step.mappings_seen), ratio: step.ratio ?? 1 }));
    const last = steps.at(-1);
    return last ? [...steps, { ...last, seen: Math.max(last.seen, run.mappings_seen) }] : [];
  });
}

function convergenceChart(progress: Progress[], colours: Map<string, string>) {
  const most = Math.max(10, ...progress.map((one) => one.seen));
  const worst = Math.max(1.1, ...progress.map((one) => one.ratio));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, height: 320, marginLeft: 60, marginRight: 24, marginBottom: 40, marginTop: 26,
    x: { type: "log", label: "mappings looked at", domain: [1, most], grid: true, tickFormat: (value: number) => (logTick(1, most)(value) === "" ? "" : short(value)) },
    y: { type: "log", label: "best so far over optimum", domain: [1, worst * 1.05], grid: true, tickFormat: logTick(1, worst) },
    color: { domain: [...colours.keys()], range: [...colours.values()] },
    marks: [
      Plot.line(progress, { x: "seen", y: "ratio", z: "mapper", stroke: "mapper", curve: "step-after", strokeWidth: 1.8 }),
      Plot.dot(progress, {
        x: "seen", y: "ratio", fill: "mapper", r: 3, title: (one: Progress) => `${one.mapper}\n${count(one.seen)} mappings\n${digits(one.ratio)} times the optimum`, tip: true,
      }),
    ],
  });
}

function Convergence({ data, colours }: { data: ArenaDocument; colours: Map<string, string> }) {
  const [number, choose] = useState(0);
  const layer = data.layers[number];
  const progress = useMemo(() => (layer ? progressOf(layer) : []), [layer]);
  const draw = useMemo(() => convergenceChart(progress, colours), [progress, colours]);
  if (!data.layers.some((one) => progressOf(one).length > 0)) return null;
  return (
    <Section id="convergence" title="Convergence">
      <p class="search"><Picker label="layer" names={data.layers.map(nameOf)} value={number} onChange={choose} /></p>
      <Legend colours={colours} />
      <Chart label="the best so far over the optimum, against the mappings looked at" draw={draw} />
    </Section>
  );
}

const figure = (title: string, value: (row: Standing) => number | null, text: (value: number) => string): Column<Standing> => ({
  title, numeric: true, value: (row) => value(row) ?? Infinity,
  show: (row) => { const found = value(row); return found === null ? "–" : <Figure value={found} text={text(found)} />; },
});

const STANDINGS: Column<Standing>[] = [
  { title: "mapper", value: (row) => row.mapper },
  figure("layers", (row) => row.layers, count), figure("found", (row) => row.found, count), figure("within 1 %", (row) => row.within_1_percent, count),
  figure("mean ratio", (row) => row.mean_ratio, digits), figure("worst ratio", (row) => row.worst_ratio, digits),
  figure("seconds", (row) => row.seconds, (value) => digits(value, 3)), figure("mappings", (row) => row.mappings_seen, count),
];

function layerColumns(data: ArenaDocument): Column<ArenaLayer>[] {
  return [
    { title: "layer", value: (row) => row.layer }, { title: "network", value: (row) => row.network }, { title: "architecture", value: (row) => row.architecture },
    { title: "optimum", value: (row) => (row.proven ? "proven" : "best found") },
    ...data.standings.map(({ mapper }): Column<ArenaLayer> => {
      const ratio = (row: ArenaLayer) => row.runs.find((run) => run.mapper === mapper)?.ratio ?? null;
      return {
        title: mapper, numeric: true, value: (row) => ratio(row) ?? Infinity,
        show: (row) => { const found = ratio(row); return found === null ? "–" : <Figure value={found} text={digits(found)} />; },
      };
    }),
  ];
}

export function Arena({ data }: { data: ArenaDocument }) {
  const colours = useMemo(() => seriesColours(data.standings.map((one) => one.mapper)), [data]);
  const drawQuality = useMemo(() => qualityChart(data), [data]);
  const drawTime = useMemo(() => timeChart(data.standings, colours), [data, colours]);
  const columns = useMemo(() => layerColumns(data), [data]);
  const proven = data.layers.filter((layer) => layer.proven).length;
  return (
    <>
      <p class="sentence">{data.standings.length} mappers on {data.layers.length} layers, lowest {titleOf(data.objective)} in {data.space}: of {proven === data.layers.length ? "all" : proven} the optimum is proven{proven === data.layers.length ? "" : ", the others are held against the best found"}.</p>
      <Section id="quality" title="Quality">
        <Chart label="value over optimum of each mapper, a point for each layer; the tables have the numbers" draw={drawQuality} />
        <p class="note">A point is a layer, the line is the geometric mean.</p>
        <Table label="standings" rows={data.standings} columns={STANDINGS} />
      </Section>
      <Section id="speed" title="Quality against time">
        <Legend colours={colours} />
        <Chart label="mean of value over optimum against seconds" draw={drawTime} />
      </Section>
      <Convergence data={data} colours={colours} />
      <Section id="layers" title="Value over optimum by layer">
        <Table label="layers" rows={data.layers} columns={columns} search={nameOf} />
      </Section>
    </>
  );
}
