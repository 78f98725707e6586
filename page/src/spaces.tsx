// What `tilewright space` and `tilewright flex measure` print: how many mappings there are, and how many of them are supported.
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";
import { logTick, longest, STYLE } from "./charts";
import { seriesColours } from "./colours";
import { digits, percent, whole } from "./format";
import { Chart, Figure, Legend, Section, Table, type Column } from "./parts";
import type { AxisFlexion, FlexionDocument, FlexionLayer, MeanFlexion, SpaceDocument } from "./schema";

interface Count {
  name: string;
  text: string;
}

/** Bars on a logarithmic axis. */
function countsChart(counts: Count[]) {
  const values = counts.map((one) => Number(one.text));
  const high = Math.max(10, ...values);
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(counts.map((one) => one.name)), marginRight: 24, marginBottom: 36, height: 56 + 26 * counts.length,
    x: { type: "log", label: "count", grid: true, domain: [1, high], tickFormat: logTick(1, high), ticks: Math.max(2, Math.floor((width - 200) / 90)) },
    y: { label: null, domain: counts.map((one) => one.name) },
    marks: [
      Plot.barX(counts, { y: "name", x1: 1, x2: (one: Count) => Math.max(1, Number(one.text)), fill: "var(--bar)", insetTop: 3, insetBottom: 3,
        title: (one: Count) => `${one.name}\n${whole(one.text)}`, tip: true }),
    ],
  });
}

export function Space({ data }: { data: SpaceDocument }) {
  const counts = useMemo(() => [
    ...Object.entries(data.chains).map(([dim, text]) => ({ name: `chains of ${dim}`, text })),
    { name: "tilings", text: data.tilings }, { name: "bypasses", text: data.bypasses }, { name: "mappings", text: data.mappings },
  ], [data]);
  const draw = useMemo(() => countsChart(counts), [counts]);
  const columns: Column<Count>[] = [
    { title: "what", value: (row) => row.name },
    { title: "count", numeric: true, value: (row) => Number(row.text), show: (row) => <data value={row.text}>{whole(row.text)}</data> },
  ];
  return (
    <>
      <p class="sentence">{data.workload} on {data.architecture} has {whole(data.mappings)} mappings in the map-space {data.mapspace}: {whole(data.tilings)} ways to cut loops, {digits(data.mean_orders)} orders each on average.</p>
      <Section id="counts" title="How many mappings">
        <Chart label="counts, logarithmic; the table has the numbers" draw={draw} />
        <Table label="counts" rows={counts} columns={columns} />
        {data.remarks.length > 0 && <ul>{data.remarks.map((text) => <li>{text}</li>)}</ul>}
      </Section>
    </>
  );
}

// --- flexion ----------------------------------------------------------------------------

const SETS = {
  class_space: "any accelerator of the class", accelerator_space: "this accelerator", workload_space: "the workload",
  class_workload_space: "the workload on the class", accelerator_workload_space: "the workload on this accelerator",
} as const;
type SetName = keyof typeof SETS;

interface Bar {
  axis: string;
  set: string;
  value: number;
}

function setsChart(means: MeanFlexion[], colours: Map<string, string>) {
  const bars: Bar[] = means.flatMap((mean) => Object.entries(SETS).map(([key, set]) => ({ axis: mean.axis, set, value: mean[key as SetName] })));
  const high = Math.max(10, ...bars.map((one) => one.value));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: 70, marginRight: 24, marginBottom: 36, height: 60 + 84 * means.length,
    x: { type: "log", label: "count, mean of the layers", grid: true, domain: [1, high], tickFormat: logTick(1, high), ticks: Math.max(2, Math.floor((width - 200) / 90)) },
    y: { axis: null, domain: Object.values(SETS) },
    fy: { label: null, domain: means.map((mean) => mean.axis), padding: 0.2 },
    color: { domain: [...colours.keys()], range: [...colours.values()] },
    marks: [
      Plot.barX(bars, {
        fy: "axis", y: "set", x1: 1, x2: (one: Bar) => Math.max(1, one.value), fill: "set", insetTop: 1,
        title: (one: Bar) => `${one.axis}: ${one.set}\n${digits(one.value)}`, tip: true,
      }),
    ],
  });
}

const MEANS: Column<MeanFlexion>[] = [
  { title: "axis", value: (row) => row.axis },
  ...Object.entries(SETS).map(([key, title]): Column<MeanFlexion> => ({
    title, numeric: true, value: (row) => row[key as SetName], show: (row) => <Figure value={row[key as SetName]} text={digits(row[key as SetName])} />,
  })),
  { title: "hardware flexion", numeric: true, value: (row) => row.hardware_flexion, show: (row) => <Figure value={row.hardware_flexion} text={percent(row.hardware_flexion)} /> },
  {
    title: "workload flexion", numeric: true, value: (row) => row.workload_flexion,
    show: (row) => <><Figure value={row.workload_flexion} text={percent(row.workload_flexion)} />{row.interval ? ` (${percent(row.interval.low)} to ${percent(row.interval.high)})` : ""}</>,
  },
];

function layerColumns(data: FlexionDocument): Column<FlexionLayer>[] {
  const axis = (row: FlexionLayer, name: string): AxisFlexion | undefined => row.axes.find((one) => one.axis === name);
  return [
    { title: "layer", value: (row) => row.name },
    { title: "count", numeric: true, value: (row) => row.count },
    ...data.mean.map((mean): Column<FlexionLayer> => ({
      title: `workload flexion, ${mean.axis}`, numeric: true, value: (row) => axis(row, mean.axis)?.workload_flexion ?? -1,
      show: (row) => { const found = axis(row, mean.axis); return found ? <Figure value={found.workload_flexion} text={percent(found.workload_flexion)} /> : "–"; },
    })),
  ];
}

export function Flexion({ data }: { data: FlexionDocument }) {
  const colours = useMemo(() => seriesColours(Object.values(SETS)), []);
  const draw = useMemo(() => setsChart(data.mean, colours), [data, colours]);
  return (
    <>
      <p class="sentence">{data.name} on {data.architecture} ({data.class}): of the choices that the workload has, {data.mean.map((mean) => `${percent(mean.workload_flexion)} (${mean.axis})`).join(", ")} are supported.</p>
      <Section id="flexion" title="What is supported">
        <p class="note">Set to <code>{data.flexibility}</code></p>
        <Legend colours={colours} />
        <Chart label="counts of choices by axis, logarithmic; the table has the numbers" draw={draw} />
        <Table label="means over the layers" rows={data.mean} columns={MEANS} />
        <p class="note"><code>tilewright flex measure --venn FILE</code> draws them as circles to scale.</p>
      </Section>
      {data.layers.length > 1 && (
        <Section id="flexion-layers" title="By layer">
          <Table label="flexion by layer" rows={data.layers} columns={layerColumns(data)} search={(row) => row.name} /></Section>
      )}
    </>
  );
}
