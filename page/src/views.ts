// What the documents have in common, as the page shows it: results with layers, and sums over them.
import type {
  AnyDocument, ArchitectureDocument, Evaluation, EvaluationDocument, MapDocument, MappedNetworkDocument, ParetoDocument, Proof,
  Search,
} from "./schema";

export type Architecture = Omit<ArchitectureDocument, "schema">;

export interface Layer {
  name: string;
  count: number;
  macs: number;
  status: string;
  problems: string[];
  search?: Search;
  result?: Evaluation;
}

export interface Totals {
  energy_pj: number;
  cycles: number;
  edp_pj_cycles: number;
  utilisation: number;
}

export interface Result {
  label: string;
  file: string;
  kind: "layer" | "network" | "front";
  work: string;
  architecture: string;
  command: string | null;
  hardware?: Architecture;
  remarks: string[];
  layers: Layer[];
  totals: Totals | null;
  network?: MappedNetworkDocument;
  front?: ParetoDocument;
}

export interface Given {
  file: string;
  label: string;
  document: AnyDocument;
}

const totalsOf = (one: Evaluation): Totals => ({
  energy_pj: one.energy_pj,
  cycles: one.cycles,
  edp_pj_cycles: one.edp_pj_cycles,
  utilisation: one.utilisation,
});

const layerOf = (one: Evaluation, name = one.workload.name): Layer => ({
  name, count: 1, macs: one.workload.macs, status: "found", problems: [], result: one,
});

function ofEvaluation(given: Given, data: EvaluationDocument): Result {
  return {
    ...given, kind: "layer", work: data.workload.name, architecture: data.architecture, command: data.command,
    hardware: data.hardware, remarks: data.remarks, layers: [layerOf(data)], totals: totalsOf(data),
  };
}

function ofMap(given: Given, data: MapDocument): Result {
  const name = data.result?.workload.name ?? "workload";
  const layer: Layer = { ...data, name, count: 1, macs: data.search?.useful_macs ?? 0 };
  return {
    ...given, kind: "layer", work: name, architecture: data.result?.architecture ?? data.hardware?.name ?? "",
    command: data.command, hardware: data.hardware, remarks: data.remarks, layers: [layer],
    totals: data.result ? totalsOf(data.result) : null,
  };
}

function ofNetwork(given: Given, data: MappedNetworkDocument): Result {
  return {
    ...given, kind: "network", work: data.network, architecture: data.architecture, command: data.command,
    hardware: data.hardware, remarks: data.remarks, layers: data.layers, totals: data.totals, network: data,
  };
}

function ofFront(given: Given, data: ParetoDocument): Result {
  const first = data.points[0];
  return {
    ...given, kind: "front", work: first?.workload.name ?? "", architecture: data.hardware.name, command: data.command,
    hardware: data.hardware, remarks: data.remarks, totals: null, front: data,
    layers: data.points.map((point, i) => layerOf(point, `point ${i + 1}`)),
  };
}

/** The result in a document; nothing if it is of another kind. */
export function resultOf(given: Given): Result | undefined {
  const data = given.document;
  switch (data.schema) {
    case "tilewright.evaluation.v1": return ofEvaluation(given, data);
    case "tilewright.map.v1": return ofMap(given, data);
    case "tilewright.mapped_network.v1": return ofNetwork(given, data);
    case "tilewright.pareto.v1": return ofFront(given, data);
    default: return undefined;
  }
}

// --- energy by level and tensor ------------------------------------------------------

export interface Part {
  level: string;
  part: string; // a tensor, or what else takes energy
  role: string;
  pj: number;
}

/** What one mapping spends, by level and tensor. */
export function partsOf(one: Evaluation): Part[] {
  const role = new Map(one.workload.tensors.map((tensor) => [tensor.name, tensor.role as string]));
  const parts: Part[] = [];
  for (const memory of one.memories) {
    for (const held of memory.tensors) {
      parts.push({ level: memory.memory, part: held.tensor, role: role.get(held.tensor) ?? "other", pj: held.energy_pj.sum });
    }
    if (memory.leakage_pj > 0) parts.push({ level: memory.memory, part: "leakage", role: "leakage", pj: memory.leakage_pj });
  }
  for (const fanout of one.fanouts) {
    if (fanout.network_pj > 0) parts.push({ level: fanout.level, part: "network", role: "network", pj: fanout.network_pj });
  }
  parts.push({ level: "compute", part: "compute", role: "compute", pj: one.compute.energy_pj });
  return parts;
}

/** The same of all layers together, each as often as it occurs. */
export function sumOfParts(layers: Layer[]): Part[] {
  const sums = new Map<string, Part>();
  for (const layer of layers) {
    if (!layer.result) continue;
    for (const part of partsOf(layer.result)) {
      const key = `${part.level}\n${part.part}`;
      const sum = sums.get(key) ?? { ...part, pj: 0 };
      sum.pj += layer.count * part.pj;
      sums.set(key, sum);
    }
  }
  return [...sums.values()];
}

export const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
export const distinct = (names: string[]): string[] => [...new Set(names)];

/** Sums of parts by one of their names. */
export function by(parts: Part[], key: "level" | "part"): Map<string, number> {
  const sums = new Map<string, number>();
  for (const part of parts) sums.set(part[key], (sums.get(part[key]) ?? 0) + part.pj);
  return sums;
}

// --- time ---------------------------------------------------------------------------

export interface Resource {
  name: string;
  cycles: number;
}

/** What each port and the multipliers need on their own. */
export function resourcesOf(one: Evaluation): Resource[] {
  const list: Resource[] = [{ name: "multipliers", cycles: one.compute.cycles }];
  if (one.systolic) {
    list.push({ name: "array fills and drains", cycles: one.systolic.fill_cycles });
    list.push({ name: "array is loaded", cycles: one.systolic.preload_cycles });
  }
  for (const memory of one.memories) {
    for (const [port, needed] of Object.entries(memory.cycles)) {
      if (needed !== null && needed > 0) list.push({ name: `${memory.memory} ${port === "shared" ? "ports" : port}`, cycles: needed });
    }
  }
  return list;
}

export function limitOf(one: Evaluation): string {
  const { level, port } = one.bottleneck;
  return port === "compute" ? "multipliers" : `${level} ${port === "shared" ? "ports" : port}`;
}

/** Cycles of all layers by what limits them. */
export function limitsOf(layers: Layer[]): Resource[] {
  const sums = new Map<string, number>();
  for (const { result, count } of layers) {
    if (result) sums.set(limitOf(result), (sums.get(limitOf(result)) ?? 0) + count * result.cycles);
  }
  return [...sums].map(([name, cycles]) => ({ name, cycles })).sort((a, b) => b.cycles - a.cycles);
}

// --- proofs -------------------------------------------------------------------------

/** "EDP", "energy": an objective as people write it. */
export const titleOf = (objective: string): string => ({ edp: "EDP", ed2p: "ED²P" })[objective] ?? objective;

/** What a proof says, in a sentence. */
export function proofText(proof: Proof | null | undefined, search: Search | undefined): string {
  if (!search) return "The mapping was given; nothing was searched and nothing is proven.";
  if (!proof) return `Found by the ${search.found_by ?? search.mapper} search; nothing is proven.`;
  if (proof.proven) return `Proven: among ${proof.among} none has a lower ${titleOf(search.objective)} in the map-space ${search.mapspace}.`;
  if (proof.gap === null) return `Not proven: ${proof.end}.`;
  return `Not proven (${proof.end}): at most ${(100 * proof.gap).toPrecision(3)} % above the lowest ${titleOf(search.objective)}.`;
}
