// What `tilewright flex isolate` and `flex futureproof` print: variants of an accelerator on networks.
import { count, digits, energy, percent } from "./format";
import { Figure, Section, Table, type Column } from "./parts";
import type { FlexStudyDocument, Variant } from "./schema";

export function Study({ data }: { data: FlexStudyDocument }) {
  const networks = data.variants[0]?.results.map((one) => one.network) ?? [];
  const columns: Column<Variant>[] = [
    { title: "variant", value: (row) => row.name },
    { title: "flexibility", value: (row) => row.flexibility },
    { title: "area added", numeric: true, value: (row) => row.area_overhead, show: (row) => <Figure value={row.area_overhead} text={percent(row.area_overhead)} /> },
    ...networks.flatMap((network, i): Column<Variant>[] => [
      { title: `${network}, ${data.objective}`, numeric: true, value: (row) => row.results[i]?.relative ?? -1, show: (row) => { const found = row.results[i]?.relative; return found === null || found === undefined ? "–" : <Figure value={found} text={`${digits(found, 3)}×`} />; } },
      { title: `${network}, energy`, numeric: true, value: (row) => row.results[i]?.energy_pj ?? -1, show: (row) => { const found = row.results[i]?.energy_pj; return found === null || found === undefined ? "–" : <Figure value={found} text={energy(found)} />; } },
      { title: `${network}, cycles`, numeric: true, value: (row) => row.results[i]?.cycles ?? -1, show: (row) => { const found = row.results[i]?.cycles; return found === null || found === undefined ? "–" : <Figure value={found} text={count(found)} />; } },
    ]),
  ];
  return (
    <Section id="variants" title={`Variants of ${data.architecture}`}>
      <p class="sentence">What flexibility is worth on {networks.join(", ")}: {data.objective} beside that of {data.variants[0]?.name ?? "the first"}.</p>
      <Table label="variants" rows={data.variants} columns={columns} />
    </Section>
  );
}
