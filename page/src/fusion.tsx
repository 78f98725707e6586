// What `tilewright fuse` and `eval --cascade` print: the tree of loops that einsums share, what lives in the shared memory, what leaves the chip.
import * as Plot from "@observablehq/plot";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { longest, STYLE } from "./charts";
import { seriesColours } from "./colours";
import { count, digits, energy, percent, short } from "./format";
import { Chart, Figure, Legend, Section, Table, Tile, type Column } from "./parts";
import type { FusedEinsum, FusedTensor, FusedTraffic, FusionDocument, LiveRoom, LiveTensor, PlanDocument, SharedLoop } from "./schema";
import { Energy, Hardware } from "./sections";
import { distinct, sum, titleOf, type Part } from "./views";

type Plan = FusionDocument | PlanDocument;

// --- the tree ---------------------------------------------------------------------------

type Node = { loop: SharedLoop; children: Node[] } | { einsum: FusedEinsum };

const sameLoop = (a: SharedLoop | undefined, b: SharedLoop | undefined): boolean =>
  a?.dim === b?.dim && a?.count === b?.count && a?.tile === b?.tile && a?.first === b?.first && a?.last === b?.last;

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

const liveName = (one: LiveTensor): string => (one.is_state ? `state of ${one.einsum}` : one.name);

/** A colour for each tensor and for what else takes room or energy, the same everywhere. */
function coloursOf(data: Plan): Map<string, string> {
  const tensors = data.einsums.flatMap((one) => one.tensors.map((tensor) => tensor.name));
  return seriesColours(distinct([...tensors, ...data.einsums.flatMap((one) => roomsOf(one, data.shared).flatMap((room) => room.live.map(liveName))), "compute", "network", "leakage", "afterwards"]));
}

interface Room {
  data: Plan;
  colours: Map<string, string>;
}

/** What is live while an einsum runs: in the memory that its group shares, and in others where something is at home. */
function roomsOf(einsum: FusedEinsum, shared: string): LiveRoom[] {
  return [{ memory: einsum.shared ?? shared, words: einsum.live_words, live: einsum.live }, ...(einsum.live_elsewhere ?? [])];
}

function LiveIn({ live: { memory, words, live: tensors }, room: { data, colours } }: { live: LiveRoom; room: Room }) {
  const room = roomOf(data, memory);
  const share = room ? words / room : null;
  const live = tensors.map((one) => ({ name: liveName(one), words: one.words }));
  return (
    <>
      {room !== undefined && (
        <div class="room" aria-hidden="true">
          {live.map((one) => <span style={{ width: `${(100 * one.words) / room}%`, background: colours.get(one.name) }} />)}
        </div>
      )}
      <small>{count(words)} words live in {memory}{share === null ? "" : `, ${percent(share)} of it`}:</small>
      <ul class="legend">{live.map((one) => <li><span class="swatch" style={{ background: colours.get(one.name) }} />{one.name} {count(one.words)}</li>)}</ul>
    </>
  );
}

function Leaf({ einsum, room }: { einsum: FusedEinsum; room: Room }) {
  return (
    <div class="leaf">
      <b>{einsum.name}</b> <small>{energy(einsum.energy_pj)}, {count(einsum.cycles)} cycles, limited by {einsum.limited_by}</small>
      {roomsOf(einsum, room.data.shared).map((live) => <LiveIn live={live} room={room} />)}
    </div>
  );
}

function Branch({ nodes, room }: { nodes: Node[]; room: Room }): ComponentChildren {
  return nodes.map((node) => ("einsum" in node
    ? <Leaf einsum={node.einsum} room={room} />
    : <div class="branch"><code>for {node.loop.dim} in {count(node.loop.count)}{node.loop.tile === undefined ? "" : `, by ${count(node.loop.tile)}`}</code><Branch nodes={node.children} room={room} /></div>));
}

/** The words that a memory has for tiles. */
function roomOf(data: Plan, memory: string): number | undefined {
  const level = data.hardware.levels.find((one) => one.name === memory);
  if (!level || level.kind !== "memory" || !level.capacity) return undefined;
  const words = level.capacity.words ?? (level.capacity.bits ?? 0) / level.word_bits;
  return level.double_buffered ? words / 2 : words;
}

/** The memories that something stays in between einsums. */
const memoriesOf = (data: Plan): string =>
  distinct(data.einsums.flatMap((one) => roomsOf(one, data.shared).map((room) => room.memory))).join(" and ");

function Tree({ data }: { data: Plan }) {
  const groups = distinct(data.einsums.map((one) => one.group_first));
  const room = { data, colours: coloursOf(data) };
  const shared = memoriesOf(data);
  return (
    <Section id="plan" title="The plan">
      {groups.map((first, i) => {
        const einsums = data.einsums.filter((one) => one.group_first === first);
        return (
          <div class="group">
            <h3>Group {i + 1}: <Figure value={data.group_pj[i] ?? 0} text={energy(data.group_pj[i] ?? 0)} /></h3>
            <Branch nodes={treeOf(einsums)} room={room} />
          </div>
        );
      })}
      <p class="note">Loops stand outside {shared} and are shared by the einsums under them, which run one after the other in each iteration. Bars show how much of {shared} is taken.</p>
    </Section>
  );
}

// --- traffic ----------------------------------------------------------------------------

interface Row {
  einsum: string;
  tensor: FusedTensor;
}

function placement({ placement: where, below_loops: below, home }: FusedTensor): string {
  const at = home === undefined ? "" : ` in ${home}`;
  if (where !== "kept") return where + at;
  return (below === 0 ? "kept throughout" : `kept below the first ${below === 1 ? "loop" : `${below} loops`}`) + at;
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

function Traffic({ data }: { data: Plan }) {
  const rows = useMemo(() => data.einsums.flatMap((one) => one.tensors.map((tensor) => ({ einsum: one.name, tensor }))), [data]);
  const colours = useMemo(() => seriesColours(data.einsums.map((one) => one.name)), [data]);
  const outer = data.hardware.levels[0]?.name ?? "the outermost memory";
  const draw = useMemo(() => trafficChart(rows, colours, outer), [rows, colours, outer]);
  const columns: Column<Row>[] = [
    { title: "einsum", value: (row) => row.einsum },
    { title: "tensor", value: (row) => row.tensor.name },
    { title: memoriesOf(data) === data.shared ? `in ${data.shared}` : "on the chip", value: (row) => placement(row.tensor) },
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

// --- accesses and energy ------------------------------------------------------------------

/** Energy of all einsums by memory and tensor, in the order of the levels. */
function partsOf(data: Plan): Part[] {
  const parts: Part[] = [];
  const add = (level: string, part: string, role: string, pj: number) => {
    const found = parts.find((one) => one.level === level && one.part === part);
    if (found) found.pj += pj;
    else if (pj > 0) parts.push({ level, part, role, pj });
  };
  for (const einsum of data.einsums) {
    for (const memory of einsum.memories) {
      for (const held of memory.tensors) add(memory.name, held.name, "tensor", held.energy_pj);
      add(memory.name, "leakage", "leakage", memory.leakage_pj);
    }
  }
  for (const einsum of data.einsums) {
    add("fan-outs", "network", "network", einsum.network_pj);
    add("compute", "compute", "compute", einsum.compute_pj);
    add("afterwards", "afterwards", "tensor", einsum.afterwards_pj);
  }
  return parts;
}

interface AccessRow extends FusedTraffic {
  einsum: string;
  memory: string;
}

function Accesses({ data }: { data: Plan }) {
  const rows: AccessRow[] = useMemo(() => data.einsums.flatMap((one) => one.memories.flatMap((memory) => (
    memory.tensors.map((held) => ({ ...held, einsum: one.name, memory: memory.name }))))), [data]);
  const figure = (title: string, key: "reads" | "fills" | "updates" | "energy_pj", text: (value: number) => string): Column<AccessRow> => ({
    title, numeric: true, value: (row) => row[key], show: (row) => <Figure value={row[key]} text={text(row[key])} />,
  });
  const columns: Column<AccessRow>[] = [
    { title: "einsum", value: (row) => row.einsum }, { title: "memory", value: (row) => row.memory }, { title: "tensor", value: (row) => row.name },
    figure("reads", "reads", count), figure("fills", "fills", count), figure("updates", "updates", count), figure("energy", "energy_pj", energy),
  ];
  return <Section id="accesses" title="Words by einsum, memory and tensor"><Table label="words" rows={rows} columns={columns} search={(row) => `${row.einsum} ${row.memory} ${row.name}`} /></Section>;
}

// --- all --------------------------------------------------------------------------------

/** Where groups chose among memories: what is proven of plans whose groups have everything in one each. */
function proofOfMemories(data: FusionDocument, before: number): string {
  const memories = (data.shared_memories ?? []).join(" or ");
  const proof = data.proven ? "which is proven to be the least" : `where none takes less than ${energy(data.bound_pj)}`;
  return `With everything of a group in one memory, ${memories}, plans take ${energy(before)}, ${proof}. Tensors were then moved between memories, one at a time, of which nothing is proven.`;
}

/** What the plan is held against: its search, or that of the best plan where one was asked for. */
function against(data: Plan): { unfused: number | null; proof: string } {
  if (data.schema === "tilewright.fusion.v1") {
    if (data.one_memory_pj !== undefined) return { unfused: data.unfused_pj, proof: proofOfMemories(data, data.one_memory_pj) };
    const lowest = titleOf(data.objective);
    const proof = data.proven ? `Proven: no plan of those that are searched has a lower ${lowest}.`
      : `Not proven: at most ${digits(100 * (data.value / data.bound - 1), 3)} % above the lowest ${lowest}.`;
    return { unfused: data.unfused_pj, proof };
  }
  if (!data.optimum) return { unfused: null, proof: "The plan was given; nothing was searched and nothing is proven." };
  return { unfused: data.optimum.unfused_pj, proof: `The plan was given. The best plan of equal pieces and even nests${data.optimum.proven ? ", which is proven," : ""} takes ${energy(data.optimum.energy_pj)}.` };
}

/** Intermediates that leave the chip, and what stands against keeping them. */
function NotFused({ data }: { data: Plan }) {
  if (!("not_fused" in data) || data.not_fused.length === 0) return null;
  return (
    <Section id="not-fused" title="What leaves the chip between groups">
      <ul>{data.not_fused.map((one) => <li><b>{one.tensor}</b>, from {one.writer} to {one.reader}: {one.reason}</li>)}</ul>
    </Section>
  );
}

export function Fusion({ data }: { data: Plan }) {
  const words = sum(data.einsums.flatMap((one) => one.tensors.map((tensor) => tensor.outer_words)));
  const { unfused, proof } = against(data);
  const parts = useMemo(() => partsOf(data), [data]);
  const colours = useMemo(() => coloursOf(data), [data]);
  return (
    <>
      <p class="sentence">{data.cascade} on {data.hardware.name} takes {energy(data.energy_pj)} with intermediates in {memoriesOf(data)}
        {unfused === null ? "" : `: ${digits(data.energy_pj / unfused, 3)} times the energy of one einsum after the other (${energy(unfused)})`}.</p>
      <div class="figures">
        <Tile name="Energy" value={data.energy_pj} text={energy(data.energy_pj)} note={`in ${data.group_pj.length} ${data.group_pj.length === 1 ? "group" : "groups"}`} />
        {unfused !== null && <Tile name="Unfused" value={unfused} text={energy(unfused)} note={`${digits(unfused / data.energy_pj, 3)} times the energy`} />}
        <Tile name="Time" value={data.cycles} text={`${short(data.cycles)} cycles`} note={"unfused_cycles" in data && data.unfused_cycles !== null ? `unfused ${short(data.unfused_cycles)}` : `${count(data.cycles)} cycles`} />
        <Tile name="Words off the chip" value={words} text={short(words)} note={`${count(words)} words`} />
      </div>
      <p class="proof">{proof}</p>
      <Tree data={data} />
      <NotFused data={data} />
      <Traffic data={data} />
      <Energy id="energy" parts={parts} colours={colours} title="Energy by memory and tensor" />
      <Accesses data={data} />
      <Section id="inputs" title="Inputs">
        {data.command && <><h3>Command</h3><pre tabIndex={0}>{data.command}</pre></>}
        <Hardware hardware={data.hardware} />
      </Section>
    </>
  );
}
