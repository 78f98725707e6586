// What `tilewright flex isolate` and `flex futureproof` print: variants of an accelerator on networks.
import * as Plot from "@observablehq/plot";
import { useMemo } from "preact/hooks";
import { longest, STYLE } from "./charts";
import { count, digits, energy, percent } from "./format";
import { Chart, Figure, Section, Table, type Column } from "./parts";
import type { FlexStudyDocument, Variant, VariantResult } from "./schema";
import { titleOf } from "./views";

interface Bar {
  variant: string;
  network: string;
  relative: number;
}

/** The objective of each variant beside that of the first, network by network. */
function variantsChart(data: FlexStudyDocument) {
  const bars: Bar[] = data.variants.flatMap((variant) => variant.results.flatMap(({ network, relative }) => (
    relative === null ? [] : [{ variant: variant.name, network, relative }])));
  const names = data.variants.map((variant) => variant.name);
  const networks = [...new Set(bars.map((bar) => bar.network))];
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(names), marginRight: longest(networks), marginBottom: 36, height: 60 + networks.length * (20 + 20 * names.length),
    x: { label: `${titleOf(data.objective)} beside that of ${names[0] ?? "the first"}`, grid: true, domain: [0, 1.1 * Math.max(1, ...bars.map((bar) => bar.relative))] },
    y: { label: null, domain: names },
    fy: { label: null, domain: networks, padding: 0.15 },
    marks: [
      Plot.barX(bars, { fy: "network", y: "variant", x: "relative", fill: "var(--bar)", insetTop: 2, insetBottom: 2,
        title: (bar: Bar) => `${bar.variant}, ${bar.network}\n${digits(bar.relative)} times`, tip: true }),
      Plot.text(bars, { fy: "network", y: "variant", x: "relative", text: (bar: Bar) => digits(bar.relative, 3), dx: 5, textAnchor: "start" }),
      Plot.ruleX([1], { strokeDasharray: "3,3" }),
    ],
  });
}

function networkColumns(network: string, number: number, objective: string): Column<Variant>[] {
  const figure = (title: string, key: "relative" | "energy_pj" | "cycles", text: (value: number) => string): Column<Variant> => {
    const value = (row: Variant) => (row.results[number] as VariantResult | undefined)?.[key] ?? null;
    return {
      title: `${network}, ${title}`, numeric: true, value: (row) => value(row) ?? -1,
      show: (row) => { const found = value(row); return found === null ? "–" : <Figure value={found} text={text(found)} />; },
    };
  };
  return [figure(titleOf(objective), "relative", (value) => `${digits(value, 3)}×`), figure("energy", "energy_pj", energy), figure("cycles", "cycles", count)];
}

export function Study({ data }: { data: FlexStudyDocument }) {
  const networks = data.variants[0]?.results.map((one) => one.network) ?? [];
  const draw = useMemo(() => variantsChart(data), [data]);
  const columns: Column<Variant>[] = [
    { title: "variant", value: (row) => row.name },
    { title: "area added", numeric: true, value: (row) => row.area_overhead, show: (row) => <Figure value={row.area_overhead} text={percent(row.area_overhead)} /> },
    ...networks.flatMap((network, i) => networkColumns(network, i, data.objective)),
    { title: "flexibility", value: (row) => row.flexibility },
  ];
  return (
    <>
      <p class="sentence">What flexibility is worth on {networks.join(", ")}: {titleOf(data.objective)} beside that of {data.variants[0]?.name ?? "the first"}.</p>
      <Section id="variants" title={`Variants of ${data.architecture}`}>
        <Chart label={`${titleOf(data.objective)} of the variants; the table has the numbers`} draw={draw} />
        <Table label="variants" rows={data.variants} columns={columns} />
      </Section>
    </>
  );
}
