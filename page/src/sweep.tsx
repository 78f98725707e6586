// What `tilewright sweep --format json` prints: designs as points, a table of them, what matters.
import { useMemo } from "preact/hooks";
import { sweepChart } from "./charts";
import { count, digits, energy } from "./format";
import { Chart, Figure, Section, Table, type Column } from "./parts";
import type { Sensitivity, SweepDocument, SweepResult } from "./schema";

function figure(title: string, value: (row: SweepResult) => number | null, text: (value: number) => string): Column<SweepResult> {
  return {
    title, numeric: true, value: (row) => value(row) ?? -1,
    show: (row) => { const found = value(row); return found === null ? "–" : <Figure value={found} text={text(found)} />; },
  };
}

function sentence(data: SweepDocument): string {
  const found = data.results.filter((one) => one.energy_pj !== null);
  const best = Object.entries(data.best).map(([work, number]) => {
    const one = data.results[number];
    const settings = Object.entries(one?.settings ?? {}).map(([path, value]) => `${path} = ${value}`).join(", ");
    return `for ${work} it is lowest with ${settings || one?.architecture}`;
  });
  const most = data.sensitivity[0];
  const matters = most ? ` ${most.parameter} matters most to EDP: a factor of ${digits(most.mean_ratio, 3)} on average.` : "";
  return `${found.length} of ${data.results.length} designs have mappings; EDP: ${best.join("; ")}.${matters}`;
}

export function Sweep({ data }: { data: SweepDocument }) {
  const draw = useMemo(() => sweepChart(data.results), [data]);
  const columns: Column<SweepResult>[] = [
    { title: "work", value: (row) => row.work },
    { title: "architecture", value: (row) => row.architecture },
    ...data.parameters.map(({ path }) => ({ title: path, value: (row: SweepResult) => row.settings[path] ?? "" })),
    figure("energy", (row) => row.energy_pj, energy),
    figure("cycles", (row) => row.cycles, count),
    figure("EDP (pJ·cycles)", (row) => row.edp, digits),
    figure("area (mm²)", (row) => (row.area_um2 ? row.area_um2 : null), (value) => digits(value / 1e6, 3)),
    { title: "front", value: (row) => (row.on_front ? "on it" : "") },
    { title: "proof", value: (row) => (row.proven ? "proven" : row.reason || "not proven") },
  ];
  const matter: Column<Sensitivity>[] = [
    { title: "parameter", value: (row) => row.parameter },
    { title: "factor of EDP, mean", numeric: true, value: (row) => row.mean_ratio, show: (row) => <Figure value={row.mean_ratio} text={digits(row.mean_ratio, 3)} /> },
    { title: "factor of EDP, largest", numeric: true, value: (row) => row.largest_ratio, show: (row) => <Figure value={row.largest_ratio} text={digits(row.largest_ratio, 3)} /> },
  ];
  return (
    <>
      <p class="sentence">{sentence(data)}</p>
      <Section id="designs" title="Designs">
        <Chart label="energy against cycles of the designs; the table has the numbers" draw={draw} />
        <Table label="designs" rows={data.results} columns={columns} search={(row) => `${row.work} ${row.architecture} ${Object.values(row.settings).join(" ")} ${row.on_front ? "on it" : ""}`} />
      </Section>
      {data.sensitivity.length > 0 && <Section id="sensitivity" title="What matters"><Table label="sensitivity" rows={data.sensitivity} columns={matter} /></Section>}
    </>
  );
}
