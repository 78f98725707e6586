// The loop nest drawn against the memories: loops on the left, tiles to scale on the right.
import { useState } from "preact/hooks";
import { count, percent } from "./format";
import type { Evaluation, Memory, Slot } from "./schema";
import type { Architecture } from "./views";

interface Place {
  level: string;
  dim: string;
}

const same = (a: Place | null, b: Place): boolean => a?.level === b.level && a.dim === b.dim;

/** Who is refilled when a loop takes a step. */
function refillsOf(one: Evaluation, place: Place): Array<{ tensor: string; memory: string }> {
  return one.memories.flatMap((memory) =>
    memory.tensors.filter((held) => same(held.refilled_by, place)).map((held) => ({ tensor: held.tensor, memory: memory.level })));
}

interface LoopsProps {
  one: Evaluation;
  slot: Slot;
  depth: number;
  colours: Map<string, string>;
  lit: Place | null;
}

function Loops({ one, slot, depth, colours, lit }: LoopsProps) {
  const word = slot.kind === "temporal" ? "for" : "par";
  const axis = { temporal: "", spatial_x: " on x", spatial_y: " on y" }[slot.kind];
  if (slot.loops.length === 0) return <div class="loop empty">no loop here</div>;
  return (
    <>
      {slot.loops.map((loop, i) => {
        const place = { level: slot.level, dim: loop.dim };
        const refills = slot.kind === "temporal" ? refillsOf(one, place) : [];
        return (
          <div class={`loop ${same(lit, place) ? "lit" : ""}`} style={{ paddingLeft: `${(depth + i) * 0.9}em` }}>
            <code>{word} {loop.dim} in {count(loop.bound)}{loop.last !== loop.bound ? ` (last ${count(loop.last)})` : ""}{axis}</code>
            {refills.map(({ tensor, memory }) => (
              <span class="refill" title={`each step of ${loop.dim} brings a new tile of ${tensor} to ${memory}`}>
                <span class="swatch" style={{ background: colours.get(tensor) }} />{tensor} → {memory}
              </span>
            ))}
          </div>
        );
      })}
    </>
  );
}

interface TilesProps {
  one: Evaluation;
  memory: Memory;
  colours: Map<string, string>;
  light: (place: Place | null) => void;
}

function capacityText(memory: Memory, hardware: Architecture | undefined): string {
  const level = hardware?.levels.find((each) => each.name === memory.memory || each.name === memory.level);
  if (!level || level.kind !== "memory") return "";
  if (level.capacity === null) return "no limit of capacity";
  const { words, bits } = level.capacity;
  const size = words !== undefined ? `${count(words)} words` : `${count((bits ?? 0) / 8)} bytes`;
  return level.double_buffered ? `${size}, half of it usable` : size;
}

/** What the tiles take of the memory, and what they are of their tensors. */
function Tiles({ one, memory, colours, light }: TilesProps) {
  const limited = memory.tensors.filter((held) => held.room_share !== null);
  return (
    <div class="tiles">
      {limited.length > 0 && (
        <div class="room" role="img" aria-label={`of ${memory.level}: ${limited.map((held) => `${held.tensor} takes ${percent(held.room_share ?? 0)}`).join(", ")}`}>
          {limited.map((held) => (
            <span style={{ width: `${100 * (held.room_share ?? 0)}%`, background: colours.get(held.tensor) }} title={`${held.tensor}: ${percent(held.room_share ?? 0)} of the room`} />
          ))}
        </div>
      )}
      {memory.tensors.map((held) => {
        const whole = one.tensor_words[held.tensor] ?? held.tile_words;
        const side = Math.max(2, 22 * Math.sqrt(Math.min(1, held.tile_words / whole)));
        const loop = held.refilled_by;
        return (
          <div class="tile" tabIndex={0} onMouseEnter={() => light(loop)} onMouseLeave={() => light(null)} onFocus={() => light(loop)} onBlur={() => light(null)}>
            <svg width="24" height="24" aria-hidden="true">
              <rect x="1" y="1" width="22" height="22" class="whole" />
              <rect x="1" y="1" width={side} height={side} fill={colours.get(held.tensor)} />
            </svg>
            <span>
              <b>{held.tensor}</b> {count(held.tile_words)} words, {percent(Math.min(1, held.tile_words / whole))} of it
              <small>{loop ? `new tile with each step of ${loop.dim} at ${loop.level}` : "stays for the whole run"}</small>
            </span>
          </div>
        );
      })}
    </div>
  );
}

/** The instances of a fan-out that are used, to scale. */
function Array_({ one, level, hardware }: { one: Evaluation; level: string; hardware: Architecture | undefined }) {
  const used = one.fanouts.find((fanout) => fanout.level === level);
  const given = hardware?.levels.find((each) => each.name === level);
  if (!used || !given || given.kind !== "fanout") return null;
  const [x, y] = [given.x.size, given.y.size];
  const scale = Math.min(110 / x, 44 / y, 9);
  return (
    <div class="array">
      <svg width={x * scale + 2} height={y * scale + 2} role="img" aria-label={`${used.used_x} of ${x} by ${used.used_y} of ${y} instances are used`}>
        <rect x="1" y="1" width={x * scale} height={y * scale} class="whole" />
        <rect x="1" y="1" width={used.used_x * scale} height={used.used_y * scale} class="used" />
      </svg>
      <span>{used.used_x} of {x} along x, {used.used_y} of {y} along y</span>
    </div>
  );
}

interface NestProps {
  one: Evaluation;
  hardware: Architecture | undefined;
  colours: Map<string, string>;
}

export function Nest({ one, hardware, colours }: NestProps) {
  const [lit, light] = useState<Place | null>(null);
  const seen = new Set<string>();
  let depth = 0;
  const rows = one.nest.filter((slot) => slot.kind === "temporal" || slot.loops.length > 0).map((slot) => {
    const memory = slot.kind === "temporal" ? one.memories.find((each) => each.level === slot.level) : undefined;
    const first = !seen.has(slot.level);
    seen.add(slot.level);
    const row = (
      <div class={`level ${slot.kind === "temporal" ? "memory" : "fanout"}`}>
        <div class="name">
          <b>{slot.level}</b>
          {memory && <small>{count(memory.instances)} {memory.instances === 1 ? "instance" : "instances"}</small>}
          {memory && <small>{capacityText(memory, hardware)}</small>}
        </div>
        <div class="loops"><Loops one={one} slot={slot} depth={depth} colours={colours} lit={lit} /></div>
        {memory ? <Tiles one={one} memory={memory} colours={colours} light={light} /> : <div>{first && <Array_ one={one} level={slot.level} hardware={hardware} />}</div>}
      </div>
    );
    depth += slot.loops.length;
    return row;
  });
  return (
    <div class="nest">
      <div class="level head" aria-hidden="true"><div>level</div><div>loops, and what each step refills</div><div>tiles, to scale</div></div>
      {rows}
      <div class="level"><div class="name"><b>compute</b><small>{count(one.compute.instances)} instances</small></div>
        <div class="loops"><div class="loop" style={{ paddingLeft: `${depth * 0.9}em` }}><code>{one.workload.einsum}</code></div></div><div /></div>
      <p class="note">Bars show how much of a memory the tiles take; squares, how much of a tensor a tile is (by area).</p>
    </div>
  );
}
