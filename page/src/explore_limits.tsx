// "What limits me": how much the objective changes with each number, found by mapping again.
import type { Limit } from "./explore_ask";
import { digits, percent } from "./format";
import { Section } from "./parts";
import { titleOf } from "./views";

/** The strongest effect of a number, whichever way it was changed. */
const strength = (limit: Limit): number => Math.max(0, ...limit.tried.map((one) => Math.abs(one.elasticity ?? 0)));

function Effect({ limit, most }: { limit: Limit; most: number }) {
  return (
    <>
      {limit.tried.map((one) => {
        const change = one.value === null ? null : one.value === limit.value ? 0 : one.value / limit.value - 1;
        const kind = change === null || Math.abs(change) < 1e-12 ? "" : change < 0 ? "less" : "more";
        return (
          <tr>
            <th scope="row">{limit.level} {limit.field.replace(".size", "")}</th>
            <td>{limit.from} → {one.to}</td>
            <td class="number"><span class={kind}>{change === null ? "no mapping" : kind === "" ? "no change" : `${change > 0 ? "+" : "−"}${percent(Math.abs(change))}`}</span></td>
            <td class="number">{one.elasticity === null ? "–" : <data value={String(one.elasticity)}>{digits(one.elasticity, 3)}</data>}</td>
            <td class="effect" aria-hidden="true"><span class={kind} style={{ width: `${most > 0 ? (100 * Math.abs(one.elasticity ?? 0)) / most : 0}%` }} /></td>
          </tr>
        );
      })}
    </>
  );
}

export function Limits({ limits, waiting, objective }: { limits: Limit[]; waiting: boolean; objective: string }) {
  const sorted = [...limits].sort((a, b) => strength(b) - strength(a));
  const shown = sorted.filter((one) => strength(one) > 0 || one.tried.some((each) => each.value === null));
  const most = Math.max(0, ...limits.map(strength));
  const flat = sorted.filter((one) => !shown.includes(one)).map((one) => `${one.level} ${one.field.replace(".size", "")}`);
  return (
    <Section id="limits" title="What limits me">
      <p class="note" aria-live="polite">
        {waiting ? `Each number is made a tenth larger and smaller, and mapped again: ${limits.length} tried so far.` : `Each of ${limits.length} numbers was made a tenth larger and smaller, or took its next value, and was mapped again.`}
        {" "}An elasticity of −0.5 means that 1 % more of the number gives 0.5 % less {titleOf(objective)}.
      </p>
      {shown.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="effects of numbers">
          <table class="limits">
            <thead><tr><th scope="col">number</th><th scope="col">change</th><th scope="col" class="number">{titleOf(objective)}</th><th scope="col" class="number">elasticity</th><td /></tr></thead>
            <tbody>{shown.map((limit) => <Effect key={limit.path} limit={limit} most={most} />)}</tbody>
          </table>
        </div>
      )}
      {flat.length > 0 && <p class="note">No effect: {flat.join(", ")}.</p>}
    </Section>
  );
}
