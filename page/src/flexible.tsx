// What `tilewright space` prints of a flexible accelerator, and `tilewright flex design`: its settings, and the best fixed one.
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";
import { logTick, longest, STYLE } from "./charts";
import { count, cycles, digits, energy, percent, seconds, whole } from "./format";
import { Chart, Figure, Section, Table, type Column } from "./parts";
import type { FlexDesignDocument, FlexSpaceDocument, LayerOfDesign, SpaceOfSetting } from "./schema";
import { titleOf } from "./views";

const nameOf = (one: SpaceOfSetting): string => `${one.parallel} ${one.rows}x${one.columns}${one.order === "any" ? "" : ` ${one.order}`}${one.unrolled ? ` (${one.unrolled})` : ""}`;

const MOST_BARS = 40;

/** The settings with the most mappings, on a logarithmic axis. */
function settingsChart(settings: SpaceOfSetting[]) {
  const bars = settings.map((one) => ({ name: nameOf(one), value: Math.max(1, Number(one.mappings)), text: whole(one.mappings) }))
    .sort((a, b) => b.value - a.value).slice(0, MOST_BARS);
  const high = Math.max(10, ...bars.map((one) => one.value));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(bars.map((one) => one.name)), marginRight: 24, marginBottom: 36, height: 56 + 22 * bars.length,
    x: { type: "log", label: "mappings", grid: true, domain: [1, high], tickFormat: logTick(1, high), ticks: Math.max(2, Math.floor((width - 200) / 90)) },
    y: { label: null, domain: bars.map((one) => one.name) },
    marks: [Plot.barX(bars, { y: "name", x1: 1, x2: "value", fill: "var(--bar)", insetTop: 2, insetBottom: 2, title: (one: { name: string; text: string }) => `${one.name}\n${one.text}`, tip: true })],
  });
}

const SETTINGS: Column<SpaceOfSetting>[] = [
  { title: "parallel", value: (row) => row.parallel },
  { title: "rows", numeric: true, value: (row) => row.rows },
  { title: "columns", numeric: true, value: (row) => row.columns },
  { title: "order", value: (row) => row.order },
  { title: "unrolled", value: (row) => row.unrolled },
  { title: "mappings", numeric: true, value: (row) => Number(row.mappings), show: (row) => <data value={row.mappings}>{whole(row.mappings)}</data> },
];

export function FlexSpace({ data }: { data: FlexSpaceDocument }) {
  const draw = useMemo(() => settingsChart(data.settings), [data]);
  const more = data.settings.length > MOST_BARS ? `; the ${MOST_BARS} largest of ${data.settings.length} are drawn` : "";
  return (
    <>
      <p class="sentence">
        {data.workload} on {data.architecture} has {whole(data.sum)} mappings in {count(data.settings.length)} settings of the map-space {data.mapspace}
        {data.different === null ? "" : `, ${whole(data.different)} of them different`}.
      </p>
      <Section id="settings" title="Mappings by setting">
        <p class="note">Set to <code>{data.flexibility}</code></p>
        <Chart label={`mappings of the settings, logarithmic${more}; the table has the numbers`} draw={draw} />
        <Table label="settings" rows={data.settings} columns={SETTINGS} search={nameOf} />
        {data.remarks.length > 0 && <ul>{data.remarks.map((text) => <li>{text}</li>)}</ul>}
      </Section>
    </>
  );
}

// --- the best fixed design ----------------------------------------------------------------

/** Each layer's share of all cycles. */
function layersChart(layers: LayerOfDesign[]) {
  const all = layers.reduce((sum, one) => sum + one.count * one.cycles, 0) || 1;
  const bars = layers.map((one) => ({ name: one.name, share: (100 * one.count * one.cycles) / all, used: one.utilisation }));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(bars.map((one) => one.name)), marginRight: 24, marginBottom: 36, height: 56 + 18 * bars.length,
    x: { label: "% of all cycles", grid: true },
    y: { label: null, domain: bars.map((one) => one.name) },
    marks: [Plot.barX(bars, { y: "name", x: "share", fill: "var(--bar)", insetTop: 2, insetBottom: 2, title: (one: { name: string; share: number; used: number }) => `${one.name}\n${digits(one.share, 3)} % of all cycles\n${percent(one.used)} of the PEs`, tip: true })],
  });
}

const LAYERS: Column<LayerOfDesign>[] = [
  { title: "layer", value: (row) => row.name },
  { title: "count", numeric: true, value: (row) => row.count },
  { title: "cycles", numeric: true, value: (row) => row.cycles, show: (row) => <Figure value={row.cycles} text={count(row.cycles)} /> },
  { title: "energy", numeric: true, value: (row) => row.energy_pj, show: (row) => <Figure value={row.energy_pj} text={energy(row.energy_pj)} /> },
  { title: "utilisation", numeric: true, value: (row) => row.utilisation, show: (row) => <Figure value={row.utilisation} text={percent(row.utilisation)} /> },
];

export function FlexDesign({ data }: { data: FlexDesignDocument }) {
  const draw = useMemo(() => layersChart(data.layers), [data]);
  const known = data.proven ? "no fixed design is better" : data.gap === null ? "nothing is proven" : `at most ${percent(data.gap)} above the best`;
  return (
    <>
      <p class="sentence">The best fixed accelerator for {data.network}, by {titleOf(data.objective)}: <code>{data.design}</code>, {cycles(data.cycles)} and {energy(data.energy_pj)}; {known}.</p>
      <Section id="design" title={`A fixed design of ${data.architecture}`}>
        <p class="note">Out of <code>{data.freedom}</code>: {count(data.nodes)} parts bounded, {count(data.designs_mapped)} designs mapped in {seconds(data.seconds)}.</p>
        <Chart label="cycles of the layers; the table has the numbers" draw={draw} />
        <Table label="layers of the design" rows={data.layers} columns={LAYERS} search={(row) => row.name} />
      </Section>
    </>
  );
}
