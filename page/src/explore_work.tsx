// What is mapped and how: a network or a line, the objective, the map-space, constraints.
import { useEffect, useState } from "preact/hooks";
import { ask, textOf, type Change, type Problem, type Question, type Start } from "./explore_ask";

interface Props {
  start: Start;
  now: Question;
  problems: Problem[];
  change: Change;
}

function Told({ id, problems }: { id: string; problems: Problem[] }) {
  const mine = problems.filter((one) => one.path === id);
  return <>{mine.length > 0 && <div id={`${id}-problem`}>{mine.map((problem) => <p class="problem">{textOf(problem)}</p>)}</div>}</>;
}

const marks = (id: string, problems: Problem[]) => {
  const wrong = problems.some((one) => one.path === id);
  return { id, "aria-invalid": wrong, "aria-describedby": wrong ? `${id}-problem` : undefined };
};

/** The names of the layers of a network. */
function useLayers(token: string, network: string): string[] {
  const [layers, set] = useState<{ of: string; names: string[] }>({ of: "", names: [] });
  useEffect(() => {
    if (network === "") return;
    const control = new AbortController();
    ask("/layers", token, { workload: network }, control.signal)
      .then(({ layers: names }) => set({ of: network, names: names ?? [] })).catch(() => undefined);
    return () => control.abort();
  }, [token, network]);
  return layers.of === network ? layers.names : [];
}

/** The network of a workload and its layer; the layer is empty for the whole network. */
function partsOf(workload: string, networks: string[]): { network: string; layer: string } {
  const network = networks.find((name) => workload === name || workload.startsWith(`${name}/`)) ?? "";
  return { network, layer: network === "" ? "" : workload.slice(network.length + 1) };
}

const LINE = "gemm: m=512 n=512 k=512";

export function Work({ start, now, problems, change }: Props) {
  const { network, layer } = partsOf(now.workload, start.networks);
  const layers = useLayers(start.token, network);
  const work = (workload: string, what: string) => change({ workload }, what);
  return (
    <fieldset><legend>Workload</legend>
      <div class="field pair"><label for="network">network</label>
        <select id="network" value={network} onChange={(event) => work(event.currentTarget.value || (network === "" ? now.workload : LINE), "network")}>
          <option value="">none: a line</option>
          {start.networks.map((name) => <option value={name}>{name}</option>)}
        </select></div>
      {network !== "" ? (
        <div class="field pair"><label for="layer">layer</label>
          <select id="layer" value={layer} onChange={(event) => work(event.currentTarget.value ? `${network}/${event.currentTarget.value}` : network, "layer")}>
            <option value="">all layers</option>
            {(layers.length > 0 ? layers : [layer].filter((one) => one !== "")).map((name) => <option value={name}>{name}</option>)}
          </select></div>
      ) : (
        <div class="field wide"><label for="workload">workload on a line</label>
          <input {...marks("workload", problems)} value={now.workload} onInput={(event) => work(event.currentTarget.value, "workload")} /></div>
      )}
      <Told id="workload" problems={problems} />
    </fieldset>
  );
}

export function Options({ start, now, problems, change }: Props) {
  const whole = start.networks.includes(now.workload);
  return (
    <fieldset><legend>Search</legend>
      <div class="field pair"><label for="objective">objective</label>
        <select {...marks("objective", problems)} value={now.objective} onChange={(event) => change({ objective: event.currentTarget.value }, "objective")}>
          {start.objectives.map((name) => <option value={name}>{name}</option>)}
        </select></div>
      <Told id="objective" problems={problems} />
      <div class="field pair"><label for="mapspace">map-space</label>
        <select {...marks("mapspace", problems)} value={now.mapspace} onChange={(event) => change({ mapspace: event.currentTarget.value }, "mapspace")}>
          <option value="">as usual</option>
          {start.mapspaces.map((name) => <option value={name}>{name}</option>)}
        </select></div>
      <Told id="mapspace" problems={problems} />
      <p class="checks">
        <label><input type="checkbox" id="uneven" checked={now.uneven} onChange={(event) => change({ uneven: event.currentTarget.checked }, "uneven")} /> uneven mappings, too</label>
        {whole && <label><input type="checkbox" id="each_layer" checked={now.each_layer} onChange={(event) => change({ each_layer: event.currentTarget.checked }, "each_layer")} /> each layer on its own</label>}
      </p>
      <Told id="uneven" problems={problems} />
      <div class="field wide"><label for="constraints">constraints, one on a line</label>
        <textarea {...marks("constraints", problems)} rows={2} spellcheck={false} placeholder="Rows.y: S = all, M <= 4" value={now.constraints}
          onInput={(event) => change({ constraints: event.currentTarget.value }, "constraints")} /></div>
      <Told id="constraints" problems={problems} />
    </fieldset>
  );
}

const BESIDE = ["workload", "objective", "mapspace", "uneven", "constraints"];

/** Whether a complaint stands beside one of these fields. */
export const isInWork = (problem: Problem): boolean => BESIDE.includes(problem.path);
