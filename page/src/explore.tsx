// The explorer: the architecture as fields to edit; every change is mapped again.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Compare } from "./compare";
import type { MapDocument } from "./schema";
import { Details, Summary } from "./sections";
import { resultOf, type Result } from "./views";

type Scalar = string | number | boolean;
type Level = Record<string, unknown>;

export interface Start {
  architecture: { levels: Level[] } & Record<string, unknown>;
  workloads: string[];
  objectives: string[];
  token: string;
}

interface Problem {
  message: string;
  hint: string;
  path: string;
}

interface Question {
  architecture: Start["architecture"];
  workload: string;
  objective: string;
}

interface Answer {
  document?: MapDocument;
  problems?: Problem[];
  superseded?: boolean;
  text?: string;
}

// --- fields --------------------------------------------------------------------------

const KINDS = ["memory", "fanout", "compute"];
const nameOf = (level: Level): string => String(level["memory"] ?? level["fanout"] ?? level["compute"] ?? "");
const isScalar = (value: unknown): value is Scalar => ["string", "number"].includes(typeof value);

/** Keys of a level that can be edited, with those of its axes: "x.size". */
function fieldsOf(level: Level): string[] {
  return Object.entries(level).flatMap(([key, value]) => {
    if (KINDS.includes(key)) return [];
    if (isScalar(value)) return [key];
    if ((key === "x" || key === "y") && value !== null && typeof value === "object" && isScalar((value as Level)["size"])) return [`${key}.size`];
    return [];
  });
}

function read(level: Level, field: string): Scalar {
  const [key = "", inner] = field.split(".");
  const value = level[key];
  return (inner === undefined ? value : (value as Level)[inner]) as Scalar;
}

function write(level: Level, field: string, value: Scalar): Level {
  const [key = "", inner] = field.split(".");
  return { ...level, [key]: inner === undefined ? value : { ...(level[key] as Level), [inner]: value } };
}

/** A number with its unit; nothing if it is none, such as "unlimited". */
function numberIn(value: Scalar): { number: number; unit: string } | null {
  const found = /^([0-9]*\.?[0-9]+)\s*(.*)$/.exec(String(value));
  return found ? { number: Number(found[1]), unit: found[2] ?? "" } : null;
}

const WHOLE = /^(words|B|bits|)$/;

/** The value at a place of the slider: as many doublings from where it began. */
function scaled(base: { number: number; unit: string }, doublings: number, wasNumber: boolean): Scalar {
  const value = base.number * 2 ** doublings;
  const number = WHOLE.test(base.unit) ? Math.max(1, Math.round(value)) : Number(value.toPrecision(4));
  return wasNumber ? number : `${number} ${base.unit}`.trim();
}

interface FieldProps {
  id: string;
  label: string;
  value: Scalar;
  start: Scalar;
  problem: Problem | undefined;
  onChange: (value: Scalar) => void;
}

function Field({ id, label, value, start, problem, onChange }: FieldProps) {
  const base = numberIn(start);
  const now = numberIn(value);
  const place = base && now && now.unit === base.unit && base.number > 0 && now.number > 0 ? Math.log2(now.number / base.number) : 0;
  const typed = (text: string): Scalar => (typeof start === "number" && /^\d+$/.test(text) ? Number(text) : text);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} value={String(value)} aria-invalid={problem !== undefined} aria-describedby={problem ? `${id}-problem` : undefined}
        onInput={(event) => onChange(typed(event.currentTarget.value))} />
      {base && base.number > 0 && (
        <input type="range" min="-4" max="4" step="0.25" value={place} aria-label={`${id.replace("-", " ")}, slider`}
          onInput={(event) => onChange(scaled(base, Number(event.currentTarget.value), typeof start === "number"))} />
      )}
      {problem && <p id={`${id}-problem`} class="problem">{problem.message}{problem.hint ? `; ${problem.hint}` : ""}</p>}
    </div>
  );
}

// --- answers -------------------------------------------------------------------------

async function ask(path: string, token: string, question: Question, signal?: AbortSignal): Promise<Answer> {
  const reply = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Tilewright-Token": token }, body: JSON.stringify(question), signal: signal ?? null,
  });
  if (!reply.ok) return { problems: [{ message: await reply.text(), hint: "", path: "" }] };
  return (await reply.json()) as Answer;
}

interface Shown {
  result: Result | undefined;
  problems: Problem[];
  milliseconds: number;
}

/** The answer to a question, asked whenever it changes; what is no longer wanted is dropped. */
function useAnswer(token: string, question: Question): Shown & { waiting: boolean } {
  const [shown, show] = useState<Shown>({ result: undefined, problems: [], milliseconds: 0 });
  const [waiting, setWaiting] = useState(true);
  useEffect(() => {
    const control = new AbortController();
    const begun = performance.now();
    setWaiting(true);
    ask("/map", token, question, control.signal).then((answer) => {
      if (control.signal.aborted || answer.superseded) return;
      const file = "the explorer";
      const result = answer.document && resultOf({ file, label: "now", document: answer.document });
      show((before) => ({ result: result ?? before.result, problems: answer.problems ?? [], milliseconds: performance.now() - begun }));
      setWaiting(false);
    }).catch((error: unknown) => {
      if (control.signal.aborted) return;
      show((before) => ({ ...before, problems: [{ message: `the server does not answer (${String(error)})`, hint: "start tilewright explore again", path: "" }] }));
      setWaiting(false);
    });
    return () => control.abort();
  }, [token, question]);
  return { ...shown, waiting };
}

// --- history -------------------------------------------------------------------------

interface History {
  list: Question[];
  at: number;
}

/** Undo and redo; changes of one field right after each other are one step. */
function useHistory(first: Question): { now: Question; change: (to: Question, what: string) => void; go: (by: number) => void; canUndo: boolean; canRedo: boolean } {
  const [history, set] = useState<History>({ list: [first], at: 0 });
  const last = useRef({ what: "", time: 0 });
  const change = useCallback((to: Question, what: string) => {
    const merge = last.current.what === what && performance.now() - last.current.time < 1000;
    last.current = { what, time: performance.now() };
    set(({ list, at }) => {
      const kept = list.slice(0, merge && at > 0 ? at : at + 1);
      return { list: [...kept, to], at: kept.length };
    });
  }, []);
  const go = useCallback((by: number) => {
    last.current = { what: "", time: 0 };
    set(({ list, at }) => ({ list, at: Math.min(list.length - 1, Math.max(0, at + by)) }));
  }, []);
  return { now: history.list[history.at] ?? first, change, go, canUndo: history.at > 0, canRedo: history.at < history.list.length - 1 };
}

function save(name: string, text: string, kind: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

// --- the page ------------------------------------------------------------------------

const problemAt = (problems: Problem[], path: string): Problem | undefined => problems.find((one) => one.path === path);

function isBeside(problem: Problem, question: Question): boolean {
  if (problem.path === "workload") return true;
  return question.architecture.levels.some((level, i) => fieldsOf(level).some((field) => problem.path === `levels[${i}].${field}`));
}

export function Explore({ start }: { start: Start }) {
  const [first] = useState<Question>({ architecture: start.architecture, workload: start.workloads[0] ?? "", objective: "edp" });
  const { now, change, go, canUndo, canRedo } = useHistory(first);
  const { result, problems, milliseconds, waiting } = useAnswer(start.token, now);
  const [pins, pin] = useState<Result[]>([]);
  const edit = (number: number, field: string, value: Scalar) => {
    const levels = now.architecture.levels.map((level, i) => (i === number ? write(level, field, value) : level));
    change({ ...now, architecture: { ...now.architecture, levels } }, `${number}.${field}`);
  };
  const fetchText = async (path: string, name: string, kind: string) => {
    const { text } = await ask(path, start.token, now);
    if (text !== undefined) save(name, text, kind);
  };
  const one = result?.layers[0]?.result;
  const others = problems.filter((problem) => !isBeside(problem, now));
  return (
    <>
      <header><h1>Explore {String(now.architecture["architecture"] ?? "")}</h1></header>
      <main class="explore">
        <form class="fields" aria-label="what is mapped" onSubmit={(event) => event.preventDefault()}>
          <p class="buttons">
            <button type="button" disabled={!canUndo} onClick={() => go(-1)}>Undo</button>
            <button type="button" disabled={!canRedo} onClick={() => go(1)}>Redo</button>
            <button type="button" disabled={!result} onClick={() => result && pin([...pins, { ...result, label: `pin ${pins.length + 1}` }])}>Pin</button>
            <button type="button" onClick={() => void fetchText("/yaml", "architecture.yaml", "text/yaml")}>Save YAML</button>
            <button type="button" onClick={() => void fetchText("/report", "report.html", "text/html")}>Save report</button>
          </p>
          <fieldset><legend>Workload</legend>
            <div class="field wide">
              <label for="workload">line or layer</label>
              <input id="workload" list="workloads" value={now.workload} aria-invalid={problemAt(problems, "workload") !== undefined} onInput={(event) => change({ ...now, workload: event.currentTarget.value }, "workload")} />
              <datalist id="workloads">{start.workloads.map((name) => <option value={name} />)}</datalist>
              {problemAt(problems, "workload") && <p class="problem">{problemAt(problems, "workload")?.message}; {problemAt(problems, "workload")?.hint}</p>}
            </div>
            <div class="field"><label for="objective">objective</label>
              <select id="objective" value={now.objective} onChange={(event) => change({ ...now, objective: event.currentTarget.value }, "objective")}>
                {start.objectives.map((name) => <option value={name}>{name}</option>)}
              </select></div>
          </fieldset>
          {now.architecture.levels.map((level, i) => fieldsOf(level).length > 0 && (
            <fieldset><legend>{nameOf(level)}</legend>
              {fieldsOf(level).map((field) => (
                <Field key={field} id={`${nameOf(level)}-${field}`} label={field.replace("_", " ")} value={read(level, field)}
                  start={read(start.architecture.levels[i] ?? level, field)} problem={problemAt(problems, `levels[${i}].${field}`)} onChange={(value) => edit(i, field, value)} />
              ))}
            </fieldset>
          ))}
        </form>
        <div class={waiting ? "answer waiting" : "answer"}>
          <p class="note" role="status">{waiting ? "mapping …" : problems.length > 0 ? "not mapped; below is the last answer" : `answered in ${Math.round(milliseconds)} ms`}</p>
          {others.map((problem) => <p class="problem">{problem.path ? `${problem.path}: ` : ""}{problem.message}{problem.hint ? `; ${problem.hint}` : ""}</p>)}
          {result && <Summary result={result} />}
          {one && <Details one={one} search={result?.layers[0]?.search} hardware={result?.hardware} prefix="" />}
          {result && pins.length > 0 && <Compare key={pins.length} results={[...pins, result]} />}
        </div>
      </main>
    </>
  );
}
