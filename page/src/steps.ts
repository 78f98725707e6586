// The steps of a mapping in time, as docs/semantics.md defines them: indices are read as digits, a
// digit per loop, and a step without any index does not exist.
import type { Evaluation, HeldTensor, Memory, Tensor } from "./schema";

export interface Loop {
  level: string;
  dim: string;
  slot: number; // its place among the slots of the nest
  bound: number;
  stride: number; // how far one step moves the index
  temporal: boolean;
}

/** All loops from the outside in. */
export function loopsOf(one: Evaluation): Loop[] {
  const loops = one.nest.flatMap((slot, number) => slot.loops.map(({ dim, bound }) => (
    { level: slot.level, dim, slot: number, bound, stride: 1, temporal: slot.kind === "temporal" })));
  const inside = new Map<string, number>();
  for (const loop of loops.toReversed()) {
    loop.stride = inside.get(loop.dim) ?? 1;
    inside.set(loop.dim, loop.stride * loop.bound);
  }
  return loops;
}

/** How much of each dimension is left to the loops further in. */
type Left = Map<string, number>;

/** The steps of the loops down to a slot; loops further in run within each step. */
export class Steps {
  readonly loops: Loop[];
  readonly count: number;
  private readonly whole: Left;
  private readonly known = new Map<string, number>();

  constructor(one: Evaluation, readonly slot: number) {
    this.loops = loopsOf(one).filter((loop) => loop.slot <= slot);
    this.whole = new Map(Object.entries(one.workload.dims));
    this.count = this.from(0, this.whole);
  }

  /** Iterations of a loop: fewer than its bound where the dimension ends. */
  private turns(loop: Loop, left: Left): number {
    return loop.temporal ? Math.min(loop.bound, Math.ceil((left.get(loop.dim) ?? 1) / loop.stride)) : 1;
  }

  private within(loop: Loop, left: Left, index: number): Left {
    const rest = (left.get(loop.dim) ?? 1) - index * loop.stride;
    return new Map(left).set(loop.dim, Math.min(loop.stride, rest));
  }

  /** The steps of the loops from a number on. All iterations but the last are alike. */
  private from(number: number, left: Left): number {
    const loop = this.loops[number];
    if (!loop) return 1;
    const key = `${number} ${[...left.values()].join(" ")}`;
    const found = this.known.get(key);
    if (found !== undefined) return found;
    const turns = this.turns(loop, left);
    const last = this.from(number + 1, this.within(loop, left, turns - 1));
    const count = turns === 1 ? last : (turns - 1) * this.from(number + 1, this.within(loop, left, 0)) + last;
    this.known.set(key, count);
    return count;
  }

  /** The digits of the loops in a step; those of space are of the first instance. */
  at(step: number): number[] {
    let left = this.whole;
    let rest = step;
    return this.loops.map((loop, number) => {
      const turns = this.turns(loop, left);
      const each = turns === 1 ? 1 : this.from(number + 1, this.within(loop, left, 0));
      const digit = turns === 1 ? 0 : Math.min(turns - 1, Math.floor(rest / each));
      rest -= digit * each;
      left = this.within(loop, left, digit);
      return digit;
    });
  }

  /** The number of the loop that advances with a step; those inside it begin anew. */
  advanced(step: number): number | null {
    if (step === 0) return null;
    const [now, before] = [this.at(step), this.at(step - 1)];
    return now.findIndex((digit, number) => digit !== before[number]);
  }

  /** The first step of the pass of the innermost level that a step is in, and the first of the next pass. */
  private pass(step: number): [number, number] {
    const first = this.loops.findIndex((loop) => loop.slot === this.slot);
    const digits = this.at(step);
    let left = this.whole;
    let before = 0;
    this.loops.slice(0, first).forEach((loop, number) => {
      const digit = digits[number] ?? 0;
      if (digit > 0) before += digit * this.from(number + 1, this.within(loop, left, 0));
      left = this.within(loop, left, digit);
    });
    return [before, before + this.from(first, left)];
  }

  /** Where the next pass of the innermost level begins; backwards, where this one or the one before began. */
  jump(step: number, by: 1 | -1): number {
    const [first, next] = this.pass(step);
    if (by > 0) return Math.min(next, this.count - 1);
    return first < step || step === 0 ? first : this.pass(step - 1)[0];
  }
}

// --- tiles --------------------------------------------------------------------------

export interface Span {
  name: string; // of the rank: p+r
  start: number;
  length: number;
}

const nameOf = (rank: Tensor["ranks"][number]): string =>
  rank.map(({ dim, coefficient }) => (coefficient === 1 ? dim : `${coefficient}${dim}`)).join("+");

/** Where a tile lies in its tensor, rank by rank; nothing if it lies beyond the end. */
function spansOf(one: Evaluation, tensor: Tensor, extents: Record<string, number>, offsets: Map<string, number>): Span[] | null {
  const offset = (dim: string) => offsets.get(dim) ?? 0;
  const length = (dim: string) => Math.min(extents[dim] ?? 1, (one.workload.dims[dim] ?? 1) - offset(dim));
  if (Object.keys(one.workload.dims).some((dim) => length(dim) <= 0)) return null;
  return tensor.ranks.map((rank) => ({
    name: nameOf(rank),
    start: rank.reduce((sum, { dim, coefficient }) => sum + coefficient * offset(dim), 0),
    length: 1 + rank.reduce((sum, { dim, coefficient }) => sum + Math.abs(coefficient) * (length(dim) - 1), 0),
  }));
}

function offsetsOf(loops: Loop[], digits: number[], slot: number): Map<string, number> {
  const offsets = new Map<string, number>();
  loops.forEach((loop, number) => {
    if (loop.slot < slot) offsets.set(loop.dim, (offsets.get(loop.dim) ?? 0) + (digits[number] ?? 0) * loop.stride);
  });
  return offsets;
}

const MOST_INSTANCES = 256;

/** Digits of the instances between two slots that hold different tiles of a tensor; of the first one alone if they are too many. */
function instancesOf(loops: Loop[], digits: number[], tensor: Tensor, outer: number, inner: number): number[][] {
  const carried = new Set(tensor.ranks.flat().map(({ dim }) => dim));
  const unrolled = loops.filter((loop) => !loop.temporal && loop.slot > outer && loop.slot < inner && carried.has(loop.dim));
  if (unrolled.reduce((product, loop) => product * loop.bound, 1) > MOST_INSTANCES) return [digits];
  return unrolled.reduce(
    (all, loop) => all.flatMap((each) => Array.from({ length: loop.bound }, (_, digit) => each.with(loops.indexOf(loop), digit))), [digits]);
}

export interface PlacedTile {
  held: HeldTensor;
  frame: Span[]; // the tile of the memory that it comes from, or the whole tensor
  from: string | null; // that memory
  spans: Span[]; // of the first instance
  others: Span[][]; // of the other instances that are filled from the same tile
  now: Span[] | null; // the word that the first instance works on, where steps go down to words
  fresh: boolean; // it is brought in this step
}

const slotOf = (one: Evaluation, memory: Memory): number =>
  one.nest.findIndex((slot) => slot.kind === "temporal" && slot.level === memory.level);

/** The first loop in time that runs within each step. */
const furtherIn = (one: Evaluation, steps: Steps): Loop | undefined => loopsOf(one).find((loop) => loop.temporal && loop.slot > steps.slot);

/** Those memories whose place in a step does not depend on loops further in than the steps go. */
export function memoriesOf(one: Evaluation, steps: Steps): Memory[] {
  const further = furtherIn(one, steps);
  return one.memories.filter((memory) => !further || slotOf(one, memory) <= further.slot);
}

function isFresh(held: HeldTensor, steps: Steps, step: number, from: string | null): boolean {
  const advanced = steps.advanced(step);
  if (from === null) return false;
  if (advanced === null) return true;
  const { refilled_by: by } = held;
  return by !== null && advanced <= steps.loops.findIndex((loop) => loop.temporal && loop.level === by.level && loop.dim === by.dim);
}

/** The tiles of a memory in a step. */
export function tilesOf(one: Evaluation, steps: Steps, step: number, memory: Memory): PlacedTile[] {
  const slot = slotOf(one, memory);
  const digits = steps.at(step);
  const outside = one.memories.slice(0, one.memories.indexOf(memory)).reverse();
  return memory.tensors.flatMap((held) => {
    const tensor = one.workload.tensors.find((each) => each.name === held.tensor);
    const parent = outside.find((each) => each.tensors.some((other) => other.tensor === held.tensor));
    const above = parent ? slotOf(one, parent) : -1;
    if (!tensor) return [];
    const place = (of: number[]) => spansOf(one, tensor, memory.extents, offsetsOf(steps.loops, of, slot));
    const [spans, ...others] = instancesOf(steps.loops, digits, tensor, above, slot).map(place);
    const frame = spansOf(one, tensor, parent?.extents ?? one.workload.dims, parent ? offsetsOf(steps.loops, digits, above) : new Map());
    const now = furtherIn(one, steps) ? null : spansOf(one, tensor, {}, offsetsOf(steps.loops, digits, Infinity));
    if (!spans || !frame) return [];
    const from = parent?.level ?? null;
    return [{ held, frame, from, spans, others: others.filter((each) => each !== null), now, fresh: isFresh(held, steps, step, from) }];
  });
}
