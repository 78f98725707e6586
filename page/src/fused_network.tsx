// What `tilewright fuse --model` prints: parts of a network, each fused where that pays.
import { count, digits, energy } from "./format";
import { Figure, Section, Table, Tile, type Column } from "./parts";
import type { FusedNetworkDocument, FusedPart, NetworkCut } from "./schema";
import { Hardware } from "./sections";

const figure = (title: string, key: "unfused_pj" | "energy_pj"): Column<FusedPart> => ({
  title, numeric: true, value: (row) => row[key] ?? -1, show: (row) => { const found = row[key]; return found === null ? "–" : <Figure value={found} text={energy(found)} />; },
});

const PARTS: Column<FusedPart>[] = [
  { title: "part", value: (row) => row.name },
  { title: "count", numeric: true, value: (row) => row.count, show: (row) => <Figure value={row.count} text={count(row.count)} /> },
  figure("unfused", "unfused_pj"), figure("energy", "energy_pj"),
  { title: "ratio", numeric: true, value: (row) => (row.energy_pj ?? 0) / (row.unfused_pj ?? 1), show: (row) => (row.energy_pj !== null && row.unfused_pj ? `${digits(row.energy_pj / row.unfused_pj, 3)}×` : "–") },
  { title: "groups", value: (row) => row.groups.map((group) => group.join(" + ")).join(", ") },
  { title: "proof", value: (row) => (row.proven ? "proven" : row.problems.join(" ") || "not proven") },
];

const CUTS: Column<NetworkCut>[] = [{ title: "operator", value: (row) => row.operator }, { title: "why it leaves the chip", value: (row) => (row.handed_on ? `${row.reason}; others get it on the chip` : row.reason) }];

export function FusedNetwork({ data }: { data: FusedNetworkDocument }) {
  const fused = data.parts.filter((part) => part.fused).length;
  return (
    <>
      <p class="sentence">{data.network} on {data.hardware.name} takes {energy(data.energy_pj)} with intermediates in {data.shared}, {digits(data.energy_pj / data.unfused_pj, 3)} times what it takes unfused; {fused} of {data.parts.length} parts are fused.</p>
      <div class="figures">
        <Tile name="Energy" value={data.energy_pj} text={energy(data.energy_pj)} note={data.proven ? "proven" : `at least ${energy(data.bound_pj)}`} />
        <Tile name="Unfused" value={data.unfused_pj} text={energy(data.unfused_pj)} note={`${digits(data.unfused_pj / data.energy_pj, 3)} times the energy`} />
      </div>
      <Section id="fused-parts" title="Parts"><Table label="parts of the network" rows={data.parts} columns={PARTS} search={(row) => row.name} /></Section>
      {data.cuts.length > 0 && <Section id="cuts" title="Where it is cut"><Table label="cuts" rows={data.cuts} columns={CUTS} /></Section>}
      <Section id="inputs" title="Inputs">
        {data.command && <><h3>Command</h3><pre tabIndex={0}>{data.command}</pre></>}
        <Hardware hardware={data.hardware} />
      </Section>
    </>
  );
}
