// A search that takes long: the best so far, and the bound that comes nearer.
import type { Progress } from "./explore_ask";
import { digits, percent, seconds } from "./format";
import { titleOf } from "./views";

const [WIDTH, HEIGHT] = [320, 70];

/** The best and the bound against time; the two lines meet when it is proven. */
function Narrowing({ steps }: { steps: Array<Progress & { value: number }> }) {
  const last = steps[steps.length - 1];
  if (!last || steps.length < 2) return null;
  const bounds = steps.filter((one): one is Progress & { value: number; bound: number } => one.bound !== null && one.bound > 0);
  const most = Math.max(...steps.map((one) => one.value));
  const least = Math.min(last.value, ...bounds.map((one) => one.bound));
  const x = (one: Progress) => (WIDTH * one.seconds) / last.seconds;
  const y = (value: number) => 3 + ((HEIGHT - 6) * (most - value)) / Math.max(most - least, most * 1e-9);
  return (
    <svg width={WIDTH} height={HEIGHT} class="narrowing" role="img" aria-label="the best so far and the bound against time">
      <polyline class="best" points={steps.map((one) => `${x(one)},${y(one.value)}`).join(" ")} />
      <polyline class="bound" points={bounds.map((one) => `${x(one)},${y(one.bound)}`).join(" ")} />
    </svg>
  );
}

export function Searching({ progress, objective, stop }: { progress: Progress[]; objective: string; stop: () => void }) {
  const now = progress[progress.length - 1];
  if (!now) return null;
  const steps = progress.filter((one): one is Progress & { value: number } => one.value !== null && one.what === now.what);
  const gap = now.value !== null && now.bound !== null && now.bound > 0 ? now.value / now.bound - 1 : null;
  return (
    <section id="searching" aria-label="the search that runs">
      <p>
        {now.what}: {now.value === null ? "nothing found yet" : <>best so far <b>{digits(now.value)}</b> ({titleOf(objective)})</>}
        {now.bound !== null && now.bound > 0 && <>, nothing is below <b>{digits(now.bound)}</b></>}
        {gap !== null && <>: at most {percent(gap)} above the best</>}
        {now.seconds > 0 && <>, after {seconds(now.seconds)}</>}
        {now.done !== null && now.done > 0 && <>; {percent(now.done)} done</>}
        {" "}<button type="button" onClick={stop}>Take the best so far</button>
      </p>
      <Narrowing steps={steps} />
    </section>
  );
}
