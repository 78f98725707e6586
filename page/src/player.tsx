// Steps through a mapping: which loop advances, which tiles move. Small problems run in full, large
// ones down to a level.
import { useEffect, useMemo, useState } from "preact/hooks";
import { coloursOf } from "./colours";
import { count } from "./format";
import type { Evaluation, Memory } from "./schema";
import { memoriesOf, Steps, tilesOf, type Loop, type PlacedTile, type Span } from "./steps";
import { partsOf } from "./views";

const MOST_STEPS = 2000; // more than anybody watches
const SPEEDS = { slow: 1200, medium: 350, fast: 60 } as const; // milliseconds of a step
type Speed = keyof typeof SPEEDS;

// --- tiles ----------------------------------------------------------------------------

const range = ({ name, start, length }: Span): string =>
  `${name} ${count(start)}${length > 1 ? `–${count(start + length - 1)}` : ""}`;
const rangesOf = (spans: Span[]): string => spans.map(range).join(", ");

/** The two ranks that are cut most, in the order of the tensor. */
function axesOf({ frame, spans }: PlacedTile): [number | null, number | null] {
  const cut = (i: number) => (frame[i]?.length ?? 1) / (spans[i]?.length ?? 1);
  const size = (i: number) => frame[i]?.length ?? 1;
  const chosen = spans.map((_, i) => i).sort((a, b) => cut(b) - cut(a) || size(b) - size(a)).slice(0, 2).sort((a, b) => a - b);
  return chosen.length < 2 ? [null, chosen[0] ?? null] : [chosen[0] ?? null, chosen[1] ?? null];
}

const [WIDTH, HEIGHT] = [132, 64];

function Picture({ tile, colour }: { tile: PlacedTile; colour: string | undefined }) {
  const [down, across] = axesOf(tile);
  const along = (spans: Span[], axis: number | null, size: number): [number, number] => {
    const [span, frame] = [axis === null ? undefined : spans[axis], axis === null ? undefined : tile.frame[axis]];
    if (!span || !frame) return [0, size];
    const length = Math.min(size, Math.max(3, (size * span.length) / frame.length));
    return [Math.min(size - length, (size * (span.start - frame.start)) / frame.length), length];
  };
  const box = (spans: Span[], kind: string) => {
    const [[x, width], [y, height]] = [along(spans, across, WIDTH), along(spans, down, HEIGHT)];
    return <rect class={kind} style={{ transform: `translate(${x + 1}px, ${y + 1}px)` }} width={width} height={height} fill={kind === "now" ? "none" : colour} />;
  };
  return (
    <svg viewBox={`0 0 ${WIDTH + 2} ${HEIGHT + 2}`} aria-hidden="true">
      <rect x="1" y="1" width={WIDTH} height={HEIGHT} class="whole" />
      {tile.others.map((spans) => box(spans, "other"))}
      {box(tile.spans, "first")}
      {tile.now && box(tile.now, "now")}
    </svg>
  );
}

function Cell({ tile, column, colour }: { tile: PlacedTile; column: number; colour: string | undefined }) {
  const { held, from, fresh } = tile;
  return (
    <figure class={fresh ? "fresh" : ""} style={{ gridColumn: column + 1 }}>
      <figcaption><span class="swatch" style={{ background: colour }} /><b>{held.tensor}</b>{" "}
        <small>{from === null ? "its home" : fresh ? `new, from ${from}` : "stays"}</small></figcaption>
      <Picture tile={tile} colour={colour} />
      <small>{rangesOf(tile.spans)}</small>
    </figure>
  );
}

// --- loops ----------------------------------------------------------------------------

function Counter({ loop, digit, advanced }: { loop: Loop; digit: number; advanced: boolean }) {
  if (!loop.temporal) return <li><code>par {loop.dim} in {count(loop.bound)}</code></li>;
  return (
    <li class={advanced ? "advanced" : ""}>
      <code>for {loop.dim}: {count(digit + 1)} of {count(loop.bound)}</code>
      <span class="track" aria-hidden="true"><span style={{ width: `${(100 * (digit + 1)) / loop.bound}%` }} /></span>
    </li>
  );
}

interface RowProps {
  one: Evaluation;
  steps: Steps;
  step: number;
  memory: Memory;
  colours: Map<string, string>;
}

/** A memory with its tiles, the loops that it runs and those of the fan-outs below it. */
function Row({ one, steps, step, memory, colours }: RowProps) {
  const digits = steps.at(step);
  const advanced = steps.advanced(step);
  const slots = one.nest.flatMap((slot, i) => (slot.kind === "temporal" ? [i] : []));
  const mine = one.nest.findIndex((slot) => slot.kind === "temporal" && slot.level === memory.level);
  const next = slots.find((slot) => slot > mine) ?? one.nest.length;
  const loops = steps.loops.flatMap((loop, i) => (loop.slot >= mine && loop.slot < next ? [{ loop, i }] : []));
  return (
    <div class="stage">
      <div><b>{memory.level}</b>{memory.instances > 1 && <small> {count(memory.instances)} instances, the first one is shown full</small>}
        <ul>{loops.map(({ loop, i }) => <Counter loop={loop} digit={digits[i] ?? 0} advanced={i === advanced} />)}</ul></div>
      <div class="cells" style={{ gridTemplateColumns: `repeat(${one.workload.tensors.length}, minmax(0, 152px))` }}>
        {tilesOf(one, steps, step, memory).map((tile) => (
          <Cell tile={tile} column={one.workload.tensors.findIndex((tensor) => tensor.name === tile.held.tensor)} colour={colours.get(tile.held.tensor)} />
        ))}
      </div>
    </div>
  );
}

// --- the step in words ------------------------------------------------------------------

/** "Step 3 of 96: M at DRAM advances to 2 of 4. New: W in GlobalBuffer (M 16–31, K 0–63)." */
export function stepText(one: Evaluation, steps: Steps, step: number): string {
  const number = steps.advanced(step);
  const loop = number === null ? undefined : steps.loops[number];
  const digit = number === null ? 0 : steps.at(step)[number] ?? 0;
  const what = loop ? `${loop.dim} at ${loop.level} advances to ${count(digit + 1)} of ${count(loop.bound)}` : "the run begins";
  const fresh = memoriesOf(one, steps).flatMap((memory) => tilesOf(one, steps, step, memory).filter((tile) => tile.fresh)
    .map((tile) => `${tile.held.tensor} in ${memory.level} (${rangesOf(tile.spans)})`));
  return `Step ${count(step + 1)} of ${count(steps.count)}: ${what}. ${fresh.length > 0 ? `New: ${fresh.join("; ")}.` : "All tiles stay."}`;
}

// --- controls ---------------------------------------------------------------------------

const calm = (): boolean => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

interface Playing {
  step: number;
  playing: boolean;
  go: (step: number) => void;
  toggle: () => void;
}

/** The step that is shown; it advances by itself while it plays. */
function usePlaying(steps: Steps, speed: Speed): Playing {
  const [step, setStep] = useState(0);
  const [playing, setPlaying] = useState(false);
  const last = steps.count - 1;
  useEffect(() => { setStep(0); setPlaying(false); }, [steps]);
  useEffect(() => {
    if (!playing) return;
    if (step >= last) { setPlaying(false); return; }
    const timer = setTimeout(() => setStep(step + 1), SPEEDS[speed]);
    return () => clearTimeout(timer);
  }, [playing, step, last, speed]);
  return {
    step: Math.min(step, last), playing,
    go: (to) => { setPlaying(false); setStep(Math.max(0, Math.min(last, to))); },
    toggle: () => { if (!playing && step >= last) setStep(0); setPlaying(!playing); },
  };
}

function onKey(event: KeyboardEvent, steps: Steps, { step, go, toggle }: Playing): void {
  if (event.target instanceof HTMLSelectElement || event.ctrlKey || event.altKey || event.metaKey) return;
  const keys: Record<string, () => void> = {
    ArrowRight: () => go(step + 1), ArrowLeft: () => go(step - 1), ArrowUp: () => go(step + 1), ArrowDown: () => go(step - 1),
    PageUp: () => go(steps.jump(step, -1)), PageDown: () => go(steps.jump(step, 1)), Home: () => go(0), End: () => go(steps.count - 1),
  };
  const act = event.key === " " && !(event.target instanceof HTMLButtonElement) ? toggle : keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

interface ControlsProps {
  steps: Steps;
  now: Playing;
  text: string;
  speed: Speed;
  setSpeed: (speed: Speed) => void;
}

function Controls({ steps, now, text, speed, setSpeed }: ControlsProps) {
  const { step, playing, go, toggle } = now;
  const last = steps.count - 1;
  return (
    <div class="buttons">
      <button type="button" onClick={toggle} aria-pressed={playing}>{playing ? "Pause" : "Play"}</button>
      <button type="button" onClick={() => go(step - 1)} disabled={step === 0}>Back</button>
      <button type="button" onClick={() => go(step + 1)} disabled={step === last}>Step</button>
      <button type="button" onClick={() => go(steps.jump(step, 1))} disabled={step === last}>Next pass</button>
      <button type="button" onClick={() => go(0)} disabled={step === 0}>Begin</button>
      <input type="range" min="0" max={last} value={step} aria-label="step" aria-valuetext={text} onInput={(event) => go(Number(event.currentTarget.value))} />
      <label>speed <select value={speed} onChange={(event) => setSpeed(event.currentTarget.value as Speed)}>
        {Object.keys(SPEEDS).map((name) => <option>{name}</option>)}</select></label>
    </div>
  );
}

// --- the player -------------------------------------------------------------------------

/** Steps down to each level that has loops in time, from the outside in. */
function depthsOf(one: Evaluation): Steps[] {
  const slots = one.nest.flatMap((slot, i) => (slot.kind === "temporal" && slot.loops.length > 0 ? [i] : []));
  return (slots.length > 0 ? slots : [0]).map((slot) => new Steps(one, slot));
}

const deepest = (depths: Steps[]): number => Math.max(0, depths.findLastIndex((steps) => steps.count <= MOST_STEPS));

export function Player({ one }: { one: Evaluation }) {
  const depths = useMemo(() => depthsOf(one), [one]);
  const [chosen, choose] = useState<number | null>(null);
  const [speed, setSpeed] = useState<Speed>(() => (calm() ? "slow" : "medium"));
  useEffect(() => choose(null), [one]);
  const depth = Math.min(chosen ?? deepest(depths), depths.length - 1);
  const steps = depths[depth] as Steps;
  const now = usePlaying(steps, speed);
  const colours = useMemo(() => coloursOf(partsOf(one)), [one]);
  const text = useMemo(() => stepText(one, steps, now.step), [one, steps, now.step]);
  const all = depths[depths.length - 1]?.count ?? 1;
  return (
    <div class="player" role="group" aria-label="the mapping step by step" data-steps={steps.count} data-step={now.step} onKeyDown={(event) => onKey(event, steps, now)}>
      <p class="search">
        <label>Steps <select value={depth} onChange={(event) => choose(Number(event.currentTarget.value))}>
          {depths.map((each, i) => <option value={i}>{i === depths.length - 1 ? "all loops" : `down to ${one.nest[each.slot]?.level ?? ""}`}: {count(each.count)}</option>)}
        </select></label>
        {depth < depths.length - 1 && <span>Loops further in run within each step: {count(all)} steps in all.</span>}
      </p>
      <Controls steps={steps} now={now} text={text} speed={speed} setSpeed={setSpeed} />
      <p class="step" aria-live={now.playing ? "off" : "polite"}>{text}</p>
      {memoriesOf(one, steps).map((memory) => <Row one={one} steps={steps} step={now.step} memory={memory} colours={colours} />)}
      <p class="note">A frame is the tile of the memory outside; filled is the tile of the first instance, pale are those of the others, outlined is the
        word that it works on. Frames have the two ranks that are
        cut most, each stretched to fit. Keys: space plays and pauses, arrows step, Page Up and Page Down go from pass to pass, Home and End to the ends.</p>
    </div>
  );
}
