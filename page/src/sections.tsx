// The sections about one result.
import { useMemo } from "preact/hooks";
import { energyChart, rooflineChart, rooflineOf, timeChart, type Roofline } from "./charts";
import { coloursOf } from "./colours";
import { count, digits, energy, percent, seconds, short } from "./format";
import { Nest } from "./nest";
import { Chart, Figure, Legend, Section, Table, Tile, type Column } from "./parts";
import { Player } from "./player";
import type { Evaluation, Search } from "./schema";
import { by, distinct, limitOf, limitsOf, partsOf, proofText, resourcesOf, sum, sumOfParts, type Architecture, type Part, type Result } from "./views";

// --- summary -------------------------------------------------------------------------

function proofOf(result: Result): string {
  if (result.front) {
    return result.front.complete
      ? `Proven: among ${result.front.among}, none beats one of these points in both energy and cycles.`
      : `Not complete (${result.front.end}): there may be points that beat these.`;
  }
  const whole = result.network?.network_edp ?? result.network?.network_objective;
  if (result.network && whole) {
    if (whole.proven) return "Proven: no choice of mappings of the layers is better for the network as a whole.";
    return whole.gap === null ? "Not proven for the network as a whole." : `Not proven: at most ${digits(100 * whole.gap, 3)} % above the best for the network as a whole.`;
  }
  if (result.network) {
    const proven = result.layers.filter((layer) => layer.search?.proof?.proven).length;
    return `${proven} of ${result.layers.length} layers have a proven mapping.`;
  }
  const search = result.layers[0]?.search;
  return proofText(search?.proof, search);
}

export function sentenceOf(result: Result): string {
  const { totals, work, architecture } = result;
  if (result.front) {
    const points = result.front.points;
    const [first, last] = [points[0], points[points.length - 1]];
    if (!first || !last) return `No mapping of ${work} on ${architecture}.`;
    return `${work} on ${architecture} takes from ${count(first.cycles)} cycles at ${energy(first.energy_pj)} to ${energy(last.energy_pj)} at ${count(last.cycles)} cycles: ${points.length} mappings that no other beats in both.`;
  }
  if (!totals) {
    const missing = result.layers.filter((layer) => !layer.result).length;
    return result.kind === "network"
      ? `${missing} of ${result.layers.length} layers of ${work} have no mapping on ${architecture}.`
      : `There is no mapping of ${work} on ${architecture}: ${result.layers[0]?.status ?? ""}. ${result.layers[0]?.problems.join(" ") ?? ""}`;
  }
  const parts = [...by(sumOfParts(result.layers), "level")].sort((a, b) => b[1] - a[1]);
  const most = parts[0] ? `${parts[0][0]} takes ${percent(parts[0][1] / totals.energy_pj)} of the energy` : "";
  const limit = limitsOf(result.layers)[0];
  const slow = limit ? `${limit.name} ${limit.name === "multipliers" ? "set" : "sets"} the time${limit.cycles >= totals.cycles ? "" : ` of layers that take ${percent(limit.cycles / totals.cycles)} of it`}` : "";
  return `${work} on ${architecture} takes ${energy(totals.energy_pj)} and ${count(totals.cycles)} cycles; ${most}, and ${slow}.`;
}

function secondsOf(result: Result): number | undefined {
  return result.network ? result.network.totals?.speed?.seconds : result.layers[0]?.result?.speed?.seconds;
}

export function Summary({ result }: { result: Result }) {
  const { totals } = result;
  const time = secondsOf(result);
  const macs = sum(result.layers.map((layer) => layer.count * layer.macs));
  return (
    <div>
      <p class="sentence">{sentenceOf(result)}</p>
      {totals && (
        <div class="figures">
          <Tile name="Energy" value={totals.energy_pj} text={energy(totals.energy_pj)} note={`${digits(totals.energy_pj / macs, 3)} pJ per MAC`} />
          <Tile name="Time" value={totals.cycles} text={time === undefined ? `${short(totals.cycles)} cycles` : seconds(time)} note={`${count(totals.cycles)} cycles`} />
          <Tile name="EDP" value={totals.edp_pj_cycles} text={digits(totals.edp_pj_cycles)} note="pJ·cycles, energy times time" />
          <Tile name="Utilisation" value={totals.utilisation} text={percent(totals.utilisation)} note="of what all multipliers could do" />
        </div>
      )}
      <p class="proof">{proofOf(result)}</p>
    </div>
  );
}

// --- energy --------------------------------------------------------------------------

interface EnergyRow {
  level: string;
  cells: Map<string, number>;
  total: number;
}

export function EnergyTable({ parts }: { parts: Part[] }) {
  const names = distinct(parts.map((one) => one.part));
  const all = sum(parts.map((one) => one.pj));
  const rows: EnergyRow[] = distinct(parts.map((one) => one.level)).map((level) => {
    const mine = parts.filter((one) => one.level === level);
    return { level, cells: by(mine, "part"), total: sum(mine.map((one) => one.pj)) };
  });
  const cell = (value: number | undefined) => (value === undefined ? "" : <Figure value={value} text={energy(value)} />);
  const columns: Column<EnergyRow>[] = [
    { title: "level", value: (row) => row.level },
    ...names.map((name) => ({
      title: name, numeric: true, value: (row: EnergyRow) => row.cells.get(name) ?? 0, show: (row: EnergyRow) => cell(row.cells.get(name)),
    })),
    { title: "total", numeric: true, value: (row) => row.total, show: (row) => cell(row.total) },
    { title: "share", numeric: true, value: (row) => row.total, show: (row) => percent(row.total / all) },
  ];
  return <Table label="energy by level and tensor" rows={rows} columns={columns} />;
}

export function Energy({ id, parts, colours, title }: { id: string; parts: Part[]; colours: Map<string, string>; title: string }) {
  const draw = useMemo(() => energyChart(parts, colours), [parts, colours]);
  return (
    <Section id={id} title={title}>
      <Legend colours={new Map([...colours].filter(([name]) => parts.some((one) => one.part === name && one.pj > 0)))} />
      <Chart label="bars of energy by level, with a part for each tensor; the table has the numbers" draw={draw} />
      <EnergyTable parts={parts} />
    </Section>
  );
}

// --- time ----------------------------------------------------------------------------

export function TimeOfOne({ id, one }: { id: string; one: Evaluation }) {
  const resources = useMemo(() => resourcesOf(one), [one]);
  const draw = useMemo(() => timeChart(resources, one.cycles, "cycles that each needs on its own"), [resources, one]);
  return (
    <Section id={id} title="Time by resource">
      <p>Everything overlaps; the slowest sets the time: {limitOf(one)}.</p>
      <Chart label={`cycles by resource: ${resources.map((each) => `${each.name} ${count(each.cycles)}`).join(", ")}`} draw={draw} />
    </Section>
  );
}

export function TimeOfNetwork({ id, result }: { id: string; result: Result }) {
  const limits = useMemo(() => limitsOf(result.layers), [result]);
  const draw = useMemo(() => timeChart(limits, sum(limits.map((one) => one.cycles)), "cycles of the layers that it limits"), [limits]);
  return (
    <Section id={id} title="Time by what limits">
      <Chart label={`cycles by limiting resource: ${limits.map((each) => `${each.name} ${count(each.cycles)}`).join(", ")}`} draw={draw} />
    </Section>
  );
}

// --- roofline ------------------------------------------------------------------------

const nameOfRoof = (roof: Roofline): string =>
  `${roof.points.length} points below the roofs of the multipliers and of ${roof.level}`;

export function RooflineSection({ id, results, colours }: { id: string; results: Result[]; colours: Map<string, string> }) {
  const roof = useMemo(() => rooflineOf(results), [results]);
  const draw = useMemo(() => (roof ? rooflineChart(roof, colours) : undefined), [roof, colours]);
  if (!roof || !draw) return null;
  return (
    <Section id={id} title={results.length > 1 ? "Rooflines of all results" : "Roofline"}>
      {results.length > 1 && <Legend colours={colours} />}
      <Chart label={nameOfRoof(roof)} draw={draw} />
      <p class="note">
        A point is a {results.some((one) => one.front) ? "mapping" : "layer"}. The slope is what {roof.level} moves in a cycle of its busiest port, the most that any point reaches.
      </p>
    </Section>
  );
}

// --- details of one mapping ------------------------------------------------------------

export function Details({ one, search, hardware, prefix }: { one: Evaluation; search: Search | undefined; hardware: Architecture | undefined; prefix: string }) {
  const parts = useMemo(() => partsOf(one), [one]);
  const colours = useMemo(() => coloursOf(parts), [parts]);
  return (
    <>
      <Section id={`${prefix}nest`} title="Loop nest and tiles">
        <Nest one={one} hardware={hardware} colours={colours} />
      </Section>
      <Section id={`${prefix}player`} title="Step by step">
        <Player one={one} />
      </Section>
      <Energy id={`${prefix}energy`} parts={parts} colours={colours} title="Energy by level and tensor" />
      <TimeOfOne id={`${prefix}time`} one={one} />
      {search && prefix !== "" && <p class="note">{proofText(search.proof, search)} {search.setting ? `Set to ${search.setting.rows} x ${search.setting.columns}, ${search.setting.parallel}, order ${search.setting.order}.` : ""}</p>}
    </>
  );
}

// --- proof, inputs ---------------------------------------------------------------------

export function ProofSection({ id, result }: { id: string; result: Result }) {
  const layers = result.layers.filter((layer) => layer.search?.proof);
  const command = result.command;
  return (
    <Section id={id} title="What is proven, and how to check it">
      <p>{proofOf(result)}</p>
      {layers.length > 1 && <p>{layers.filter((one) => one.search?.proof?.proven).length} of {result.layers.length} layers have a proof of their own mapping for the objective that it was searched with.</p>}
      {command && layers.length > 0 && (
        <>
          <p>A program of its own, which shares no code with the search, checks proofs. {result.kind === "network" ? "For a layer, with its name in place of LAYER:" : ""}</p>
          <pre tabIndex={0}>{`${command.replace(/ --json\b/, "")}${result.kind === "network" ? " --layer LAYER" : ""} --certificate best.cert.json\ntilewright check best.cert.json`}</pre>
        </>
      )}
    </Section>
  );
}

interface LevelRow {
  level: Architecture["levels"][number];
}

function sizeOf({ level }: LevelRow): string {
  if (level.kind === "fanout") return `${level.x.size} × ${level.y.size}`;
  if (level.kind === "compute") return `${level.macs} per ${level.cycles === 1 ? "cycle" : `${level.cycles} cycles`}`;
  if (level.capacity === null) return "no limit";
  return level.capacity.words !== undefined ? `${count(level.capacity.words)} words` : `${count((level.capacity.bits ?? 0) / 8)} bytes`;
}

function accessOf({ level }: LevelRow): string {
  if (level.kind === "fanout") return `${digits(level.word_pj)} pJ per word`;
  if (level.kind === "compute") return `${digits(level.mac_pj)} pJ per MAC`;
  return `${digits(level.read_pj)} / ${digits(level.write_pj)} / ${digits(level.update_pj)} pJ`;
}

function bandwidthOf({ level }: LevelRow): string {
  if (level.kind !== "memory") return "";
  const ports = [["", level.shared_words_per_cycle], ["read ", level.read_words_per_cycle], ["write ", level.write_words_per_cycle]] as const;
  const given = ports.filter(([, rate]) => rate !== null).map(([name, rate]) => `${name}${digits(rate ?? 0)}`);
  return given.length > 0 ? given.join(", ") : "no limit";
}

const LEVELS: Column<LevelRow>[] = [
  { title: "level", value: ({ level }) => level.name },
  { title: "kind", value: ({ level }) => level.kind },
  { title: "instances", numeric: true, value: ({ level }) => level.instances, show: ({ level }) => count(level.instances) },
  { title: "size", value: sizeOf },
  { title: "energy (read / fill / update)", value: accessOf },
  { title: "words per cycle", value: bandwidthOf },
];

export function Hardware({ hardware }: { hardware: Architecture }) {
  return (
    <>
      <h3>Architecture {hardware.name}</h3>
      <p class="note">{[hardware.technology, hardware.clock_hz ? `${digits(hardware.clock_hz / 1e6)} MHz` : "", hardware.area_um2 > 0 ? `${digits(hardware.area_um2 / 1e6, 3)} mm²` : "", hardware.source].filter((text) => text !== "").join("; ")}</p>
      <Table label="levels of the architecture" rows={hardware.levels.map((level) => ({ level }))} columns={LEVELS} />
      {hardware.constraints.length > 0 && <p class="note">Constraints: {hardware.constraints.map((rule) => rule.text).join("; ")}</p>}
    </>
  );
}

export function Inputs({ id, result }: { id: string; result: Result }) {
  const { hardware } = result;
  const one = result.layers[0]?.result;
  return (
    <Section id={id} title="Inputs">
      {result.command && <><h3>Command</h3><pre tabIndex={0}>{result.command}</pre></>}
      <p class="note">File: {result.file}</p>
      {result.kind !== "network" && one && (
        <><h3>Workload</h3><p><code>{one.workload.einsum}</code> with {Object.entries(one.workload.dims).map(([dim, size]) => `${dim} = ${count(size)}`).join(", ")}; {count(one.workload.macs)} MACs; {one.workload.tensors.map((tensor) => `${tensor.name} (${tensor.role}, ${tensor.bits} bits)`).join(", ")}.</p></>
      )}
      {hardware && <Hardware hardware={hardware} />}
      {result.remarks.length > 0 && <><h3>Remarks</h3><ul>{result.remarks.map((text) => <li>{text}</li>)}</ul></>}
    </Section>
  );
}
