// What `tilewright fuse` prints: the tree of loops that einsums share, what lives in the shared memory, what leaves the chip.
import * as Plot from "@observablehq/plot";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { longest, STYLE } from "./charts";
import { seriesColours } from "./colours";
import { count, digits, energy, percent, relation, short } from "./format";
import { Chart, Figure, Legend, Section, Table, Tile, type Column } from "./parts";
import type { FusedEinsum, FusedTensor, FusionDocument, SharedLoop } from "./schema";
import { Hardware } from "./sections";
import { distinct, sum } from "./views";

// --- the tree ---------------------------------------------------------------------------

type Node = { loop: SharedLoop; children: Node[] } | { einsum: FusedEinsum };

const sameLoop = (a: SharedLoop | undefined, b: SharedLoop | undefined): boolean =>
  a?.dim === b?.dim && a?.count === b?.count && a?.first === b?.first && a?.last === b?.last;

/** Einsums one after the other, those below one loop together. */
export function treeOf(einsums: FusedEinsum[], depth = 0): Node[] {
  const nodes: Node[] = [];
  for (let i = 0; i < einsums.length;) {
    const einsum = einsums[i] as FusedEinsum;
    const loop = einsum.shared_loops[depth];
    if (!loop) { nodes.push({ einsum }); i += 1; continue; }
    const rest = einsums.slice(i);
    const end = rest.findIndex((one) => !sameLoop(one.shared_loops[depth], loop));
    const under = end < 0 ? rest : rest.slice(0, end);
    nodes.push({ loop, children: treeOf(under, depth + 1) });
    i += under.length;
  }
  return nodes;
}

function Leaf({ einsum, room, shared }: { einsum: FusedEinsum; room: number | undefined; shared: string }) {
  const share = room ? einsum.live_words / room : null;
  return (
    <div class="leaf">
      <b>{einsum.name}</b> <small>{energy(einsum.energy_pj)}, {count(einsum.cycles)} cycles, limited by {einsum.limited_by}</small>
      {share !== null && <div class="room" aria-hidden="true"><span style={{ width: `${Math.min(100, 100 * share)}%` }} /></div>}
      <small>{count(einsum.live_words)} words live in {shared}{share === null ? "" : `, ${percent(share)} of it`}</small>
    </div>
  );
}

function Branch({ nodes, room, shared }: { nodes: Node[]; room: number | undefined; shared: string }): ComponentChildren {
  return nodes.map((node) => ("einsum" in node
    ? <Leaf einsum={node.einsum} room={room} shared={shared} />
    : <div class="branch"><code>for {node.loop.dim} in {count(node.loop.count)}</code><Branch nodes={node.children} room={room} shared={shared} /></div>));
}

/** The words that the shared memory has for tiles. */
function roomOf(data: FusionDocument): number | undefined {
  const level = data.hardware.levels.find((one) => one.name === data.shared);
  if (!level || level.kind !== "memory" || !level.capacity) return undefined;
  const words = level.capacity.words ?? (level.capacity.bits ?? 0) / level.word_bits;
  return level.double_buffered ? words / 2 : words;
}

function Plan({ data }: { data: FusionDocument }) {
  const groups = distinct(data.einsums.map((one) => one.group_first));
  const room = roomOf(data);
  return (
    <Section id="plan" title="The plan">
      {groups.map((first, i) => {
        const einsums = data.einsums.filter((one) => one.group_first === first);
        return (
          <div class="group">
            <h3>Group {i + 1}: <Figure value={data.group_pj[i] ?? 0} text={energy(data.group_pj[i] ?? 0)} /></h3>
            <Branch nodes={treeOf(einsums)} room={room} shared={data.shared} />
          </div>
        );
      })}
      <p class="note">Loops stand outside {data.shared} and are shared by the einsums under them, which run one after the other in each iteration. Bars show how much of {data.shared} is taken.</p>
    </Section>
  );
}

// --- traffic ----------------------------------------------------------------------------

interface Row {
  einsum: string;
  tensor: FusedTensor;
}

function placement({ placement: where, below_loops: below }: FusedTensor): string {
  if (where !== "kept") return where;
  return below === 0 ? "kept throughout" : `kept below the first ${below === 1 ? "loop" : `${below} loops`}`;
}

function trafficChart(rows: Row[], colours: Map<string, string>, outer: string) {
  const tensors = distinct(rows.map((row) => row.tensor.name));
  return (width: number): Element => Plot.plot({
    width, style: STYLE, marginLeft: longest(tensors), marginRight: 24, marginBottom: 36, height: 56 + 26 * tensors.length,
    x: { label: `words to and from ${outer}`, grid: true, nice: true, tickFormat: short, ticks: Math.max(2, Math.floor((width - 200) / 90)) },
    y: { label: null, domain: tensors },
    color: { domain: [...colours.keys()], range: [...colours.values()] },
    marks: [
      Plot.barX(rows, {
        y: (row: Row) => row.tensor.name, x: (row: Row) => row.tensor.outer_words, fill: "einsum", insetTop: 3, insetBottom: 3,
        title: (row: Row) => `${row.tensor.name} of ${row.einsum}\n${count(row.tensor.outer_words)} words\n${placement(row.tensor)}`, tip: true,
      }),
    ],
  });
}

function Traffic({ data }: { data: FusionDocument }) {
  const rows = useMemo(() => data.einsums.flatMap((one) => one.tensors.map((tensor) => ({ einsum: one.name, tensor }))), [data]);
  const colours = useMemo(() => seriesColours(data.einsums.map((one) => one.name)), [data]);
  const outer = data.hardware.levels[0]?.name ?? "the outermost memory";
  const draw = useMemo(() => trafficChart(rows, colours, outer), [rows, colours, outer]);
  const columns: Column<Row>[] = [
    { title: "einsum", value: (row) => row.einsum },
    { title: "tensor", value: (row) => row.tensor.name },
    { title: `in ${data.shared}`, value: (row) => placement(row.tensor) },
    { title: `words to and from ${outer}`, numeric: true, value: (row) => row.tensor.outer_words, show: (row) => <Figure value={row.tensor.outer_words} text={count(row.tensor.outer_words)} /> },
  ];
  return (
    <Section id="traffic" title={`Traffic with ${outer}`}>
      <Legend colours={colours} />
      <Chart label={`words to and from ${outer} by tensor; the table has the numbers`} draw={draw} />
      <Table label="traffic" rows={rows} columns={columns} />
    </Section>
  );
}

// --- all --------------------------------------------------------------------------------

export function Fusion({ data }: { data: FusionDocument }) {
  const words = sum(data.einsums.flatMap((one) => one.tensors.map((tensor) => tensor.outer_words)));
  const proof = data.proven
    ? "Proven: no plan of even nests with perfect factors has less energy."
    : `Not proven: the best has at least ${energy(data.bound_pj)}.`;
  return (
    <>
      <p class="sentence">{data.cascade} on {data.hardware.name} takes {energy(data.energy_pj)} with intermediates in {data.shared}: {relation(data.energy_pj, data.unfused_pj)} energy than one einsum after the other ({energy(data.unfused_pj)}).</p>
      <div class="figures">
        <Tile name="Energy" value={data.energy_pj} text={energy(data.energy_pj)} note={`in ${data.group_pj.length} ${data.group_pj.length === 1 ? "group" : "groups"}`} />
        <Tile name="Unfused" value={data.unfused_pj} text={energy(data.unfused_pj)} note={`${digits(data.unfused_pj / data.energy_pj, 3)} times the energy`} />
        <Tile name="Time" value={data.cycles} text={`${short(data.cycles)} cycles`} note={`${count(data.cycles)} cycles`} />
        <Tile name="Words off the chip" value={words} text={short(words)} note={`${count(words)} words`} />
      </div>
      <p class="proof">{proof}</p>
      <Plan data={data} />
      <Traffic data={data} />
      <Section id="inputs" title="Inputs">
        {data.command && <><h3>Command</h3><pre tabIndex={0}>{data.command}</pre></>}
        <Hardware hardware={data.hardware} />
      </Section>
    </>
  );
}
