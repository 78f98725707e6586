// What `tilewright sweep --format json` prints: designs as points, lines and a map, a table of them, what matters.
import { useMemo, useState } from "preact/hooks";
import { count, digits } from "./format";
import { Chart, Figure, Picker, Section, Table, type Column } from "./parts";
import type { Sensitivity, SweepDocument, SweepResult } from "./schema";
import { drawnRows, heatChart, parallelChart, pointsChart } from "./sweep_charts";
import { choicesOf, quantitiesOf, type Choice, type Quantity } from "./sweep_views";

function sentence(data: SweepDocument): string {
  const found = data.results.filter((one) => one.energy_pj !== null);
  const best = Object.entries(data.best).map(([work, number]) => {
    const one = data.results[number];
    const settings = Object.entries(one?.settings ?? {}).map(([path, value]) => `${path} = ${value}`).join(", ");
    return `for ${work} it is lowest with ${settings || one?.architecture}`;
  });
  const most = data.sensitivity[0];
  const matters = most ? ` ${most.parameter} matters most to EDP: a factor of ${digits(most.mean_ratio, 3)} on average.` : "";
  return `${found.length} of ${data.results.length} results are mappings; EDP: ${best.join("; ")}.${matters}`;
}

interface ViewProps {
  rows: SweepResult[];
  choices: Choice[];
  quantities: Quantity[];
  picked: SweepResult | undefined;
  of: string; // ends the titles: which network it is, where there are several
}

const named = (list: Array<{ title: string }>): string[] => list.map(({ title }) => title);

function Front({ rows, quantities, picked, of }: ViewProps) {
  const index = (key: string) => Math.max(0, quantities.findIndex((one) => one.key === key));
  const [[across, up], choose] = useState<[number, number]>([index("cycles"), index("energy_pj")]);
  const [x, y] = [quantities[across], quantities[up]];
  const draw = useMemo(() => (x && y ? pointsChart(rows, x, y, picked) : undefined), [rows, x, y, picked]);
  if (!draw || !x || !y) return null;
  return (
    <Section id="front" title={`Pareto front${of}`}>
      <p class="search"><Picker label="across" names={named(quantities)} value={across} onChange={(value) => choose([value, up])} />
        <Picker label="up" names={named(quantities)} value={up} onChange={(value) => choose([across, value])} /></p>
      <Chart label={`${y.title} against ${x.title} of the designs; the table has the numbers`} draw={draw} />
      <p class="note">The line joins designs that no other beats in both.</p>
    </Section>
  );
}

function Parallel({ rows, choices, quantities, picked, of }: ViewProps) {
  const draw = useMemo(() => parallelChart(rows, choices, quantities, picked), [rows, choices, quantities, picked]);
  const [drawn, found] = [drawnRows(rows).length, rows.filter((row) => row.energy_pj !== null).length];
  return (
    <Section id="parallel" title={`All that differs${of}`}>
      <div class="wide" tabIndex={0} role="group" aria-label="all that differs">
        <Chart label="a line for each design over its parameters and what it takes; the table has the numbers" draw={draw} />
      </div>
      <p class="note">A line is a design; those on the front of energy and cycles stand out, and so does the one that is picked in the table. Quantities are
        logarithmic, with less further down.{drawn < found ? ` Of ${count(found)} designs, the ${count(drawn)} with the lowest EDP are drawn.` : ""}</p>
    </Section>
  );
}

function HeatMap({ rows, choices, quantities, of }: ViewProps) {
  const [[across, up], choose] = useState<[number, number]>([0, 1]);
  const [which, choosing] = useState(Math.max(0, quantities.findIndex((one) => one.key === "edp")));
  const [x, y, quantity] = [choices[across], choices[up], quantities[which]];
  const draw = useMemo(() => (x && y && quantity ? heatChart(rows, x, y, quantity) : undefined), [rows, x, y, quantity]);
  if (!draw || !x || !y || !quantity) return null;
  return (
    <Section id="heat" title={`Two parameters${of}`}>
      <p class="search"><Picker label="across" names={named(choices)} value={across} onChange={(value) => choose([value, up])} />
        <Picker label="up" names={named(choices)} value={up} onChange={(value) => choose([across, value])} />
        <Picker label="shown" names={named(quantities)} value={which} onChange={choosing} /></p>
      <Chart label={`least ${quantity.title} for each pair of ${x.title} and ${y.title}`} draw={draw} />
      <p class="note">A cell has the least that any design with these two values takes; the stronger its colour, the more, and the least of all is framed.</p>
    </Section>
  );
}

function columnsOf(data: SweepDocument, quantities: Quantity[]): Column<SweepResult>[] {
  return [
    { title: "no.", value: (row) => data.results.indexOf(row), numeric: true },
    { title: "work", value: (row) => row.work },
    { title: "architecture", value: (row) => row.architecture },
    ...data.parameters.map(({ path }) => ({ title: path, value: (row: SweepResult) => row.settings[path] ?? "" })),
    ...choicesOf(data).filter(({ title }) => ["map-space", "mapper", "objective"].includes(title)).map(({ title, of }) => ({ title, value: of })),
    ...quantities.map(({ key, title, show }): Column<SweepResult> => ({
      title, numeric: true, value: (row) => row[key] ?? -1,
      show: (row) => { const found = row[key]; return found === null ? "–" : <Figure value={found} text={show(found)} />; },
    })),
    { title: "proof", value: (row) => (row.proven ? "proven" : row.reason || "not proven") },
  ];
}

const MATTER: Column<Sensitivity>[] = [
  { title: "parameter", value: (row) => row.parameter },
  { title: "factor of EDP, mean", numeric: true, value: (row) => row.mean_ratio, show: (row) => <Figure value={row.mean_ratio} text={digits(row.mean_ratio, 3)} /> },
  { title: "factor of EDP, largest", numeric: true, value: (row) => row.largest_ratio, show: (row) => <Figure value={row.largest_ratio} text={digits(row.largest_ratio, 3)} /> },
];

export function Sweep({ data }: { data: SweepDocument }) {
  const [work, choose] = useState(0);
  const [picked, pick] = useState<SweepResult | undefined>();
  const [choices, quantities] = useMemo(() => [choicesOf(data), quantitiesOf(data)], [data]);
  const rows = useMemo(() => data.results.filter((row) => row.work === data.works[work]), [data, work]);
  const columns = useMemo(() => columnsOf(data, quantities), [data, quantities]);
  const view = { rows, choices, quantities, picked, of: data.works.length > 1 ? `: ${data.works[work]}` : "" };
  return (
    <>
      <p class="sentence">{sentence(data)}</p>
      {data.works.length > 1 && <p class="search"><Picker label="Charts of" names={data.works} value={work} onChange={choose} /></p>}
      <Front {...view} />
      {choices.length > 0 && <Parallel {...view} />}
      {choices.length > 1 && <HeatMap {...view} />}
      <Section id="designs" title="Designs">
        <Table label="designs" rows={data.results} columns={columns} onPick={pick} picked={picked}
          search={(row) => `${row.work} ${row.architecture} ${Object.values(row.settings).join(" ")} ${row.mapspace} ${row.mapper} ${row.status}`} />
      </Section>
      {data.sensitivity.length > 0 && <Section id="sensitivity" title="What matters"><Table label="sensitivity" rows={data.sensitivity} columns={MATTER} /></Section>}
    </>
  );
}
