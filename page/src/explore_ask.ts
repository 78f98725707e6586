// What the explorer asks its server, and how the answers come: lines of JSON, the last of which counts.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { MapDocument, MappedNetworkDocument } from "./schema";
import { resultOf, type Result } from "./views";

export type Scalar = string | number | boolean;
export type Level = Record<string, unknown>;
export type Design = { levels: Level[] } & Record<string, unknown>;

export interface Start {
  architecture: Design;
  base: string;
  bases: string[];
  workload: string;
  networks: string[];
  objectives: string[];
  mapspaces: string[];
  token: string;
}

export interface Question {
  architecture: Design;
  base: string; // what the architecture was made of
  workload: string;
  objective: string;
  mapspace: string;
  uneven: boolean;
  each_layer: boolean;
  constraints: string;
}

export interface Problem {
  message: string;
  hint: string;
  path: string;
}

export interface Progress {
  what: string;
  done: number | null;
  seconds: number;
  value: number | null;
  bound: number | null;
}

export interface Limit {
  path: string;
  level: string;
  field: string;
  from: string;
  value: number; // of the objective, as it is
  tried: Array<{ to: string; ratio: number; value: number | null; elasticity: number | null }>;
}

export interface Answer {
  progress?: Progress;
  document?: MapDocument | MappedNetworkDocument;
  problems?: Problem[];
  superseded?: boolean;
  text?: string;
  limit?: Limit;
  layers?: string[];
  architecture?: Design;
  base?: string;
}

export const textOf = (problem: Problem): string => `${problem.message}${problem.hint ? `; ${problem.hint}` : ""}`;

// The server tells pages apart by a name, and what a page wants now from what it wanted before by a number.
const page = crypto.randomUUID();
let number = 0;

/** A server that runs but does not know this page. */
class Refused extends Error {}

/** Asks; every line of the answer is told, and the last one is given. */
export async function ask(path: string, token: string, question: object, signal?: AbortSignal, tell?: (line: Answer) => void): Promise<Answer> {
  const reply = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Tilewright-Token": token },
    body: JSON.stringify({ ...question, page, number }), signal: signal ?? null,
  });
  if (reply.status === 403) throw new Refused(await reply.text());
  if (!reply.ok || !reply.body) return { problems: [{ message: await reply.text(), hint: "", path: "" }] };
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last: Answer | undefined;
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      last = JSON.parse(line) as Answer;
      tell?.(last);
    }
    if (done) break;
  }
  if (!last || rest !== "") throw new TypeError("the answer broke off");
  return last;
}

function lost(error: unknown, base: string): Problem {
  if (error instanceof Refused) {
    return { message: "another server is at this address", hint: "open the address that it has printed; what is here stays until then", path: "" };
  }
  return {
    message: "the server does not answer", path: "",
    hint: `this page waits for it; start it again with: tilewright explore --arch ${base} --address '${location.href}'`,
  };
}

export interface Shown {
  result: Result | undefined;
  of: Question | undefined; // what the result is of
  problems: Problem[];
  milliseconds: number;
  progress: Progress[]; // of the search that runs
  waiting: boolean;
  lost: boolean;
  back: boolean; // the server was gone before this answer
}

const NOTHING: Shown = { result: undefined, of: undefined, problems: [], milliseconds: 0, progress: [], waiting: true, lost: false, back: false };
const PAUSE = 1000;

/** The answer to a question, asked whenever it changes; what is no longer wanted is dropped. */
export function useAnswer(token: string, question: Question): Shown {
  const [shown, show] = useState<Shown>(NOTHING);
  const [attempt, again] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    const begun = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    number += 1;
    show((before) => ({ ...before, waiting: !before.lost, progress: [] }));
    const tell = ({ progress }: Answer) => {
      if (progress && !control.signal.aborted) show((before) => ({ ...before, progress: [...before.progress, progress] }));
    };
    ask("/map", token, question, control.signal, tell).then((answer) => {
      if (control.signal.aborted || answer.superseded) return;
      const result = answer.document && resultOf({ file: "the explorer", label: "now", document: answer.document });
      show((before) => ({
        result: result ?? before.result, of: result ? question : before.of, problems: answer.problems ?? [], milliseconds: performance.now() - begun,
        progress: [], waiting: false, lost: false, back: before.lost,
      }));
    }).catch((error: unknown) => {
      if (control.signal.aborted) return;
      show((before) => ({ ...before, problems: [lost(error, question.base)], waiting: false, lost: true, back: false, progress: [] }));
      if (!(error instanceof Refused)) timer = setTimeout(() => again((one) => one + 1), PAUSE);
    });
    return () => { clearTimeout(timer); control.abort(); };
  }, [token, question, attempt]);
  return shown;
}

/** What changes with each number, asked when an answer has stood for a moment. */
export function useLimits(token: string, question: Question, ready: boolean): { limits: Limit[]; waiting: boolean } {
  const [limits, set] = useState<Limit[]>([]);
  const [waiting, wait] = useState(true);
  useEffect(() => {
    set([]);
    wait(true);
    if (!ready) return;
    const control = new AbortController();
    const timer = setTimeout(() => {
      ask("/limits", token, question, control.signal, ({ limit }) => {
        if (limit && !control.signal.aborted) set((before) => [...before, limit]);
      }).then(() => wait(false)).catch(() => undefined); // the next question tells whether the server is gone
    }, 400);
    return () => { clearTimeout(timer); control.abort(); };
  }, [token, question, ready]);
  return { limits, waiting };
}

// --- history -------------------------------------------------------------------------

interface History {
  list: Question[];
  at: number;
}

/** Takes what is to be otherwise, and a word for it. The rest is as it is by then. */
export type Change = (to: Partial<Question>, what: string) => void;

export interface Editing {
  now: Question;
  change: Change;
  go: (by: number) => void;
  canUndo: boolean;
  canRedo: boolean;
}

/** Undo and redo; changes of one field right after each other are one step. */
export function useHistory(first: Question): Editing {
  const [history, set] = useState<History>({ list: [first], at: 0 });
  const last = useRef({ what: "", time: 0 });
  const change = useCallback((to: Partial<Question>, what: string) => {
    const merge = last.current.what === what && performance.now() - last.current.time < 1000;
    last.current = { what, time: performance.now() };
    set(({ list, at }) => {
      const kept = list.slice(0, merge && at > 0 ? at : at + 1);
      return { list: [...kept, { ...(list[at] ?? first), ...to }], at: kept.length };
    });
  }, [first]);
  const go = useCallback((by: number) => {
    last.current = { what: "", time: 0 };
    set(({ list, at }) => ({ list, at: Math.min(list.length - 1, Math.max(0, at + by)) }));
  }, []);
  return { now: history.list[history.at] ?? first, change, go, canUndo: history.at > 0, canRedo: history.at < history.list.length - 1 };
}
