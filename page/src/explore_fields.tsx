// The architecture as a picture of blocks that can be edited: a field with a slider for each number.
import { useMemo, useRef } from "preact/hooks";
import { textOf, type Design, type Level, type Problem, type Scalar } from "./explore_ask";
import { addable, fieldsOf, kindOf, nameOf, quantityIn, read, scaled, withField, withLevel, without, withoutLevel, write } from "./explore_design";
import { digits, percent } from "./format";
import { by, sum, sumOfParts, type Result } from "./views";

interface FieldProps {
  id: string;
  label: string;
  name: string; // of the slider, for those who hear it
  value: Scalar;
  start: Scalar;
  problem: Problem | undefined;
  onChange: (value: Scalar) => void;
}

function Field({ id, label, name, value, start, problem, onChange }: FieldProps) {
  const base = quantityIn(start);
  const now = quantityIn(value);
  const place = base && now && now.unit === base.unit && base.number > 0 && now.number > 0 ? Math.log2(now.number / base.number) : 0;
  const typed = (text: string): Scalar => (typeof start === "number" && /^\d+$/.test(text) ? Number(text) : text);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} value={String(value)} aria-invalid={problem !== undefined} aria-describedby={problem ? `${id}-problem` : undefined}
        onInput={(event) => onChange(typed(event.currentTarget.value))} />
      {base && base.number > 0 && (
        <input type="range" min="-4" max="4" step="0.25" value={place} aria-label={`${name}, slider`} aria-valuetext={String(value)}
          onInput={(event) => onChange(scaled(base, Number(event.currentTarget.value), typeof start === "number"))} />
      )}
      {problem && <p id={`${id}-problem`} class="problem">{textOf(problem)}</p>}
    </div>
  );
}

// --- pictures ------------------------------------------------------------------------

/** How much of a memory the tiles take. */
function Room({ share }: { share: number }) {
  return (
    <svg width="84" height="14" role="img" aria-label={`${percent(share)} of the room is taken`}>
      <rect x="0.5" y="0.5" width="83" height="13" rx="2" class="whole" />
      <rect x="0.5" y="0.5" width={83 * Math.min(1, share)} height="13" rx="2" class="used" />
    </svg>
  );
}

/** The instances of a fan-out, with those that work. */
function Instances({ x, y, usedX, usedY }: { x: number; y: number; usedX: number; usedY: number }) {
  const scale = Math.min(84 / x, 30 / y, 8);
  return (
    <svg width={x * scale + 1} height={y * scale + 1} role="img" aria-label={`${usedX} of ${x} by ${usedY} of ${y} instances work`}>
      <rect x="0.5" y="0.5" width={x * scale} height={y * scale} class="whole" />
      <rect x="0.5" y="0.5" width={usedX * scale} height={usedY * scale} class="used" />
      {scale > 3 && Array.from({ length: x - 1 }, (_, i) => <line x1={(i + 1) * scale + 0.5} x2={(i + 1) * scale + 0.5} y1="0.5" y2={y * scale + 0.5} class="cell" />)}
      {scale > 3 && Array.from({ length: y - 1 }, (_, i) => <line y1={(i + 1) * scale + 0.5} y2={(i + 1) * scale + 0.5} x1="0.5" x2={x * scale + 0.5} class="cell" />)}
    </svg>
  );
}

/** What a level does in the answer: how full it is, what it spends, what of it is estimated. */
function Role({ level, result, spending }: { level: Level; result: Result | undefined; spending: Map<string, number> }) {
  const [name, kind] = [nameOf(level), kindOf(level)];
  const one = result?.kind === "layer" ? result.layers[0]?.result : undefined;
  const given = result?.hardware?.levels.find((each) => each.name === name);
  const total = result?.totals?.energy_pj ?? 0;
  const spent = spending.get(kind === "compute" ? "compute" : name) ?? 0;
  const memory = one?.memories.find((each) => each.memory === name);
  const shares = memory?.tensors.map((held) => held.room_share).filter((share): share is number => share !== null) ?? [];
  const used = one?.fanouts.find((each) => each.level === name);
  const limits = one && (one.bottleneck.port === "compute" ? kind === "compute" : one.bottleneck.level === name);
  const estimated = given?.kind === "memory" && given.estimated?.includes("read") ? `read ${digits(given.read_pj)} pJ, estimated` : undefined;
  return (
    <div class="role">
      {shares.length > 0 && <Room share={sum(shares)} />}
      {given?.kind === "fanout" && used && <Instances x={given.x.size} y={given.y.size} usedX={used.used_x} usedY={used.used_y} />}
      {total > 0 && spent > 0 && <span>{percent(spent / total)} of the energy</span>}
      {limits && <span class="limits">sets the time</span>}
      {estimated && <span>{estimated}</span>}
    </div>
  );
}

// --- blocks --------------------------------------------------------------------------

const KINDS = { memory: "memory", fanout: "fan-out", compute: "multiplier" };

interface BlockProps {
  design: Design;
  place: number;
  depth: number;
  starts: Map<string, Scalar>;
  spending: Map<string, number>; // by level
  result: Result | undefined;
  problems: Problem[];
  change: (to: Design, what: string) => void;
}

function Fields({ design, place, starts, problems, change }: BlockProps) {
  const level = design.levels[place] ?? {};
  const put = (to: Level, what: string) => change({ ...design, levels: design.levels.map((one, i) => (i === place ? to : one)) }, `${place}.${what}`);
  return (
    <>
      {fieldsOf(level).map((field) => {
        const id = `${nameOf(level)}-${field}`;
        const value = read(level, field);
        if (!starts.has(id)) starts.set(id, value);
        return (
          <Field key={field} id={id} label={field.replace("_", " ").replace(".size", "")} name={`${nameOf(level)} ${field}`} value={value} start={starts.get(id) ?? value}
            problem={problems.find((one) => one.path === `levels[${place}].${field}`)} onChange={(to) => put(write(level, field, to), field)} />
        );
      })}
      <p class="block-buttons">
        <select aria-label={`add or remove a field of ${nameOf(level)}`} value="" onChange={(event) => {
          const [what, field = ""] = event.currentTarget.value.split(" ");
          event.currentTarget.value = "";
          starts.delete(`${nameOf(level)}-${field}`);
          put(what === "add" ? withField(level, field) : without(level, field), `${what ?? ""} ${field}`);
        }}>
          <option value="">fields …</option>
          <optgroup label="add">{addable(level).map((field) => <option value={`add ${field}`}>add {field}</option>)}</optgroup>
          <optgroup label="remove">{fieldsOf(level).map((field) => <option value={`remove ${field}`}>remove {field}</option>)}</optgroup>
        </select>
        {kindOf(level) !== "compute" && <button type="button" aria-label={`remove ${nameOf(level)}`} onClick={() => change(withoutLevel(design, place), `remove ${place}`)}>remove</button>}
      </p>
    </>
  );
}

function Block(props: BlockProps) {
  const { design, place, depth, result, spending, problems, change } = props;
  const level = design.levels[place] ?? {};
  const kind = kindOf(level);
  const rename = (name: string) => change({ ...design, levels: design.levels.map((one, i) => (i === place ? { ...one, [kind]: name } : one)) }, `${place}.name`);
  const own = problems.filter((one) => one.path === `levels[${place}]` || one.path === `levels[${place}].${kind}`);
  return (
    <div style={{ marginLeft: `${Math.min(depth, 5) * 10}px` }}>
      <fieldset class={`block ${kind}`}>
        <legend><input class="name" size={Math.max(4, nameOf(level).length)} aria-label={`name of the ${KINDS[kind]} ${nameOf(level)}`} value={nameOf(level)} onInput={(event) => rename(event.currentTarget.value)} /> <small>{KINDS[kind]}</small></legend>
        <Role level={level} result={result} spending={spending} />
        {own.map((problem) => <p class="problem">{textOf(problem)}</p>)}
        <Fields {...props} />
      </fieldset>
      {kind !== "compute" && (
        <p class="between">
          <button type="button" aria-label={`add a memory inside ${nameOf(level)}`} onClick={() => change(withLevel(design, place, "memory"), `memory ${place}`)}>+ memory</button>
          <button type="button" aria-label={`add a fan-out inside ${nameOf(level)}`} onClick={() => change(withLevel(design, place, "fanout"), `fanout ${place}`)}>+ fan-out</button>
        </p>
      )}
    </div>
  );
}

export interface BlocksProps {
  design: Design;
  base: string;
  result: Result | undefined;
  problems: Problem[];
  change: (to: Design, what: string) => void;
}

export function Blocks({ design, base, result, problems, change }: BlocksProps) {
  // Sliders go up and down from what a field began with.
  const starts = useRef({ base, map: new Map<string, Scalar>() });
  if (starts.current.base !== base) starts.current = { base, map: new Map() };
  const spending = useMemo(() => by(sumOfParts(result?.layers ?? []), "level"), [result]);
  let depth = 0;
  return (
    <div class="blocks">
      {design.levels.map((level, place) => {
        const block = <Block design={design} place={place} depth={depth} starts={starts.current.map} spending={spending} result={result} problems={problems} change={change} />;
        if (kindOf(level) === "fanout") depth += 1;
        return block;
      })}
    </div>
  );
}

/** Whether a complaint stands beside a field or in a block. */
export function isInBlocks(problem: Problem, design: Design): boolean {
  return design.levels.some((level, i) => problem.path === `levels[${i}]` || [kindOf(level), ...fieldsOf(level)].some((field) => problem.path === `levels[${i}].${field}`));
}
