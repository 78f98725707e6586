// The layers of a network, or the points of a front: charts, a table, and the details of the one that is picked.
import { useMemo, useState } from "preact/hooks";
import { edpChart, paretoChart, utilisationChart } from "./charts";
import { count, digits, energy, percent, short } from "./format";
import { Chart, Figure, Section, Table, type Column } from "./parts";
import { Details } from "./sections";
import { limitOf, type Layer, type Result } from "./views";

interface Row {
  number: number;
  layer: Layer;
}

function proofMark(layer: Layer): string {
  const proof = layer.search?.proof;
  if (!proof) return "";
  if (proof.proven) return "proven";
  return proof.gap === null ? "not proven" : `within ${digits(100 * proof.gap, 3)} %`;
}

function columnsOf(result: Result): Column<Row>[] {
  const figure = (title: string, value: (layer: Layer) => number | undefined, text: (value: number) => string): Column<Row> => ({
    title, numeric: true, value: ({ layer }) => value(layer) ?? -1,
    show: ({ layer }) => { const found = value(layer); return found === undefined ? "–" : <Figure value={found} text={text(found)} />; },
  });
  const network: Column<Row>[] = result.kind === "network"
    ? [figure("count", (one) => one.count, count), figure("MACs", (one) => one.macs, short)]
    : [];
  const proof: Column<Row>[] = result.kind === "network" ? [{ title: "proof", value: ({ layer }) => proofMark(layer) }] : [];
  return [
    { title: result.kind === "network" ? "layer" : "point", value: ({ layer }) => layer.name },
    { title: "no.", numeric: true, value: ({ number }) => number },
    ...network,
    figure("energy", (one) => one.result?.energy_pj, energy),
    figure("cycles", (one) => one.result?.cycles, count),
    figure("EDP (pJ·cycles)", (one) => one.result?.edp_pj_cycles, digits),
    figure("utilisation", (one) => one.result?.utilisation, percent),
    { title: "limited by", value: ({ layer }) => (layer.result ? limitOf(layer.result) : layer.status) },
    ...proof,
  ];
}

export function Layers({ id, result, colours }: { id: string; result: Result; colours: Map<string, string> }) {
  const rows = useMemo(() => result.layers.map((layer, i) => ({ number: i + 1, layer })), [result]);
  const [place, choose] = useState<number | undefined>(result.kind === "front" ? 0 : undefined);
  const pick = (row: Row) => choose(row.number - 1);
  const picked = place === undefined ? undefined : rows[place]; // stays picked when another result has such a row
  const columns = useMemo(() => columnsOf(result), [result]);
  const drawUtilisation = useMemo(() => utilisationChart(result.layers), [result]);
  const drawEdp = useMemo(() => edpChart(result.layers), [result]);
  const drawFront = useMemo(() => paretoChart([result], colours, choose), [result, colours]);
  const one = picked?.layer.result;
  return (
    <>
      <Section id={id} title={result.kind === "network" ? "Layers" : "Pareto front"}>
        {result.kind === "network" ? (
          <>
            <Chart label="bars of utilisation by layer; the table has the numbers" draw={drawUtilisation} />
            <Chart label="bars of EDP by layer; the table has the numbers" draw={drawEdp} />
          </>
        ) : <Chart label="energy against cycles of the points; the table has the numbers" draw={drawFront} />}
        <p class="note">Pick a {result.kind === "network" ? "layer" : "point"} to see its loop nest, energy and time.</p>
        <Table label={result.kind === "network" ? "layers" : "points"} rows={rows} columns={columns}
          search={({ layer }) => `${layer.name} ${layer.result ? limitOf(layer.result) : layer.status} ${proofMark(layer)}`}
          onPick={pick} picked={picked} />
      </Section>
      {picked && (
        <div class="details" id="details">
          <h2>{picked.layer.name}</h2>
          {one
            ? <Details one={one} search={picked.layer.search} hardware={result.hardware} prefix="picked-" />
            : <p>No mapping: {picked.layer.status}. {picked.layer.problems.join(" ")}</p>}
        </div>
      )}
    </>
  );
}
