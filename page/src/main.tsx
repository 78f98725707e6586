// The page of `tilewright report`, which draws the documents that stand in it, and that of `tilewright explore`.
import { render } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Arena } from "./arena";
import { Codesign } from "./codesign";
import { coloursOf } from "./colours";
import { Compare, Compared, sideColours } from "./compare";
import { Explore, type Start } from "./explore";
import { FusedNetwork } from "./fused_network";
import { Fusion } from "./fusion";
import { Layers } from "./layers";
import { Within } from "./parts";
import type { AnyDocument } from "./schema";
import { Details, Energy, Inputs, ProofSection, RooflineSection, Summary, TimeOfNetwork } from "./sections";
import { FlexDesign, FlexSpace } from "./flexible";
import { Flexion, Space } from "./spaces";
import { Study } from "./study";
import { Sweep } from "./sweep";
import { ComparedSweeps } from "./sweep_compare";
import { resultOf, sumOfParts, type Given, type Result } from "./views";

interface Pages {
  title: string;
  made_by: string;
  given: Given[];
}

function One({ result }: { result: Result }) {
  const parts = useMemo(() => sumOfParts(result.layers), [result]);
  const colours = useMemo(() => coloursOf(parts), [parts]);
  const side = useMemo(() => sideColours([result]), [result]);
  const list = useMemo(() => [result], [result]);
  const one = result.layers[0]?.result;
  return (
    <>
      <Summary result={result} />
      {result.kind === "network" && parts.length > 0 && (
        <>
          <Energy id="energy" parts={parts} colours={colours} title="Energy by level and tensor, all layers" />
          <TimeOfNetwork id="time" result={result} />
        </>
      )}
      {result.kind === "layer" && one && <Details one={one} search={result.layers[0]?.search} hardware={result.hardware} prefix="" />}
      {result.kind !== "layer" && <Layers key={result.label} id="layers" result={result} colours={side} />}
      <RooflineSection id="roofline" results={list} colours={side} />
      <ProofSection id="proof" result={result} />
      <Inputs id="inputs" result={result} />
    </>
  );
}

function Chosen({ results }: { results: Result[] }) {
  const [number, choose] = useState(0);
  const result = results[number];
  return (
    <>
      {results.length > 1 && (
        <nav class="tabs" aria-label="results">
          {results.map((one, i) => <button type="button" aria-pressed={i === number} onClick={() => choose(i)}>{one.label}</button>)}
        </nav>
      )}
      {result && <One key={number} result={result} />}
    </>
  );
}

/** What is no mapping. */
function Other({ data }: { data: AnyDocument }) {
  switch (data.schema) {
    case "tilewright.comparison.v1": return <Compared data={data} />;
    case "tilewright.flex_study.v1": return <Study data={data} />;
    case "tilewright.flex_design.v1": return <FlexDesign data={data} />;
    case "tilewright.flex_space.v1": return <FlexSpace data={data} />;
    case "tilewright.flexion.v1": return <Flexion data={data} />;
    case "tilewright.space.v1": return <Space data={data} />;
    case "tilewright.sweep.v1": return <Sweep data={data} />;
    case "tilewright.arena.v1": return <Arena data={data} />;
    case "tilewright.codesign.v1": return <Codesign data={data} />;
    case "tilewright.fusion.v1":
    case "tilewright.plan.v1": return <Fusion data={data} />;
    case "tilewright.fused_network.v1": return <FusedNetwork data={data} />;
    default: return null;
  }
}

function App({ pages }: { pages: Pages }) {
  const results = useMemo(() => pages.given.map(resultOf).filter((one): one is Result => one !== undefined), [pages]);
  const sweeps = useMemo(() => pages.given.flatMap(({ label, document: data }) => (data.schema === "tilewright.sweep.v1" ? [{ label, data }] : [])), [pages]);
  return (
    <>
      <header>
        <h1>{pages.title}</h1>
        <p class="note">{pages.made_by}</p>
      </header>
      <main>
        {results.length > 1 && <Compare results={results} />}
        {sweeps.length > 1 && <ComparedSweeps sweeps={sweeps} />}
        {pages.given.filter((one) => !resultOf(one)).map(({ label, document: data }, i, all) => (
          <Within.Provider value={{ prefix: i === 0 ? "" : `r${i + 1}-`, heading: all.length > 1 ? `document-${i + 1}` : "" }}>
            {all.length > 1 && <h2 id={`document-${i + 1}`}>{label}</h2>}
            <Other data={data} />
          </Within.Provider>
        ))}
        <Chosen results={results} />
      </main>
    </>
  );
}

const data = JSON.parse(document.getElementById("data")?.textContent ?? "{}") as Pages | { explore: Start };
const place = document.getElementById("page");
if (place) render("explore" in data ? <Explore start={data.explore} /> : <App pages={data} />, place);
