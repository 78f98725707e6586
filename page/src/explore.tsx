// The explorer: every change of the architecture, the work or the search is mapped again.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { coloursOf } from "./colours";
import { Compare, sideColours } from "./compare";
import { ask, textOf, useAnswer, useHistory, useLimits, type Question, type Shown, type Start } from "./explore_ask";
import { Export } from "./explore_export";
import { Blocks, isInBlocks } from "./explore_fields";
import { Limits } from "./explore_limits";
import { Searching } from "./explore_search";
import { isInWork, Options, Work } from "./explore_work";
import { Layers } from "./layers";
import { Details, Energy, Summary, TimeOfNetwork } from "./sections";
import { sumOfParts, type Result } from "./views";

export type { Start };

function Whole({ result }: { result: Result }) {
  const parts = useMemo(() => sumOfParts(result.layers), [result]);
  const colours = useMemo(() => coloursOf(parts), [parts]);
  const side = useMemo(() => sideColours([result]), [result]);
  return (
    <>
      {parts.length > 0 && <Energy id="energy" parts={parts} colours={colours} title="Energy by level and tensor, all layers" />}
      <TimeOfNetwork id="time" result={result} />
      <Layers id="layers" result={result} colours={side} />
    </>
  );
}

/** The same a frame later, so that what is seen first does not wait for the rest. */
function useLater<T>(value: T): T {
  const [later, set] = useState<{ value: T }>({ value });
  useEffect(() => {
    const timer = setTimeout(() => set({ value }));
    return () => clearTimeout(timer);
  }, [value]);
  return later.value;
}

/** Charts, loop nest and tables. Nothing of it is drawn again before there is another result. */
function Rest({ result }: { result: Result | undefined }) {
  const later = useLater(result);
  const drawn = useMemo(() => {
    const one = later?.layers[0]?.result;
    if (later?.kind === "network") return <Whole result={later} />;
    return one && <Details one={one} search={later?.layers[0]?.search} hardware={later?.hardware} prefix="" />;
  }, [later]);
  return <div id="rest" aria-busy={later !== result}>{drawn}</div>;
}

function status({ waiting, problems, milliseconds, back, lost }: Shown): string {
  if (lost) return "no answer; below is the last one";
  if (waiting) return "mapping …";
  if (problems.length > 0) return "not mapped; below is the last answer";
  return `${back ? "the server is back; " : ""}answered in ${Math.round(milliseconds)} ms`;
}

function AnswerPane({ start, now, shown, pins }: { start: Start; now: Question; shown: Shown; pins: Result[] }) {
  const { result, problems, waiting, progress } = shown;
  const ready = !waiting && problems.length === 0 && shown.of === now && result?.totals !== null;
  const { limits, waiting: trying } = useLimits(start.token, now, ready);
  const others = problems.filter((problem) => !isInWork(problem) && !isInBlocks(problem, now.architecture));
  return (
    <div class={waiting ? "answer waiting" : "answer"}>
      <p class="note" role="status">{status(shown)}</p>
      {others.map((problem) => <p class="problem">{problem.path ? `${problem.path}: ` : ""}{textOf(problem)}</p>)}
      {waiting && <Searching progress={progress} objective={now.objective} stop={() => void ask("/stop", start.token, now)} />}
      {result && <Summary result={result} />}
      <Rest result={result} />
      {result && ready && <Limits limits={limits} waiting={trying} objective={now.objective} />}
      {result && pins.length > 0 && <Compare key={pins.length} results={[...pins, result]} />}
    </div>
  );
}

export function Explore({ start }: { start: Start }) {
  const [first] = useState<Question>({
    architecture: start.architecture, base: start.base, workload: start.workload, objective: start.objectives[0] ?? "edp",
    mapspace: "", uneven: false, each_layer: false, constraints: "",
  });
  const { now, change, go, canUndo, canRedo } = useHistory(first);
  const shown = useAnswer(start.token, now);
  const [pins, pin] = useState<Result[]>([]);
  const { result, problems } = shown;
  const wanted = useRef("");
  const begin = async (base: string) => {
    wanted.current = base;
    const { architecture } = await ask("/base", start.token, { base }).catch((): Awaited<ReturnType<typeof ask>> => ({}));
    if (architecture && wanted.current === base) change({ architecture, base }, "base");
  };
  return (
    <>
      <header><h1>Explore {String(now.architecture["architecture"] ?? "")}</h1></header>
      <main class="explore">
        <form class="fields" aria-label="what is mapped" onSubmit={(event) => event.preventDefault()}>
          <p class="buttons">
            <button type="button" disabled={!canUndo} onClick={() => go(-1)}>Undo</button>
            <button type="button" disabled={!canRedo} onClick={() => go(1)}>Redo</button>
            <button type="button" disabled={!result} onClick={() => result && pin([...pins, { ...result, label: `pin ${pins.length + 1}` }])}>Pin</button>
            {pins.length > 0 && <button type="button" onClick={() => pin([])}>Unpin</button>}
          </p>
          <Export token={start.token} now={now} />
          <Work start={start} now={now} problems={problems} change={change} />
          <Options start={start} now={now} problems={problems} change={change} />
          <div class="field pair"><label for="base">begin with</label>
            <select id="base" value={now.base} onChange={(event) => void begin(event.currentTarget.value)}>{start.bases.map((name) => <option value={name}>{name}</option>)}</select></div>
          <Blocks design={now.architecture} base={now.base} result={result} problems={problems} change={(architecture, what) => change({ architecture }, what)} />
        </form>
        <AnswerPane start={start} now={now} shown={shown} pins={pins} />
      </main>
    </>
  );
}
