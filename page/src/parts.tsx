// Small parts that several sections use.
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";

/** A number as people read it, with its exact value for programs and on hovering. */
export function Figure({ value, text }: { value: number; text: string }) {
  return <data value={String(value)} title={String(value)}>{text}</data>;
}

/** A number as large as it matters, with its name above and a note below. */
export function Tile({ name, value, text, note }: { name: string; value: number; text: string; note: string }) {
  return (
    <div class="figure">
      <div class="what">{name}</div>
      <div class="big"><Figure value={value} text={text} /></div>
      <div class="note">{note}</div>
    </div>
  );
}

/** Where there are several documents: what the names of their sections begin with, and the heading above them. */
export const Within = createContext({ prefix: "", heading: "" });

export function Section({ id, title, children }: { id: string; title: string; children: ComponentChildren }) {
  const { prefix, heading } = useContext(Within);
  const name = prefix + id;
  return (
    <section id={name} aria-labelledby={`${heading} ${name}-title`.trim()}>
      <h2 id={`${name}-title`}>{title}</h2>
      {children}
    </section>
  );
}

export function Legend({ colours }: { colours: Map<string, string> }) {
  return (
    <ul class="legend">
      {[...colours].map(([name, colour]) => (
        <li key={name}><span class="swatch" style={{ background: colour }} />{name}</li>
      ))}
    </ul>
  );
}

/** A chart that is drawn again when its width or its data change. */
export function Chart({ label, draw }: { label: string; draw: (width: number) => Element }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0) return;
    const drawing = draw(width);
    // The figure as a whole has a label; groups of an SVG must not have one.
    for (const group of drawing.querySelectorAll("[aria-label]")) group.removeAttribute("aria-label");
    place.current?.replaceChildren(drawing);
  }, [width, draw]);
  return <div class="chart" role="img" aria-label={label} ref={place} />;
}

/** A choice among names, by their numbers. */
export function Picker({ label, names, value, onChange }: { label: string; names: string[]; value: number; onChange: (value: number) => void }) {
  return (
    <label>{label} <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
      {names.map((name, i) => <option value={i}>{name}</option>)}
    </select></label>
  );
}

export interface Column<Row> {
  title: string;
  value: (row: Row) => number | string;
  show?: (row: Row) => ComponentChildren;
  numeric?: boolean;
}

interface TableProps<Row> {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  search?: (row: Row) => string;
  onPick?: (row: Row) => void;
  picked?: Row | undefined;
}

function compare(a: number | string, b: number | string): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
}

function order<Row>(rows: Row[], column: Column<Row> | undefined, down: boolean): Row[] {
  if (!column) return rows;
  const sorted = [...rows].sort((a, b) => compare(column.value(a), column.value(b)));
  return down ? sorted.reverse() : sorted;
}

/** A table that can be sorted by each column and, where asked for, searched. */
export function Table<Row>({ label, rows, columns, search, onPick, picked }: TableProps<Row>) {
  const [sorting, setSorting] = useState<{ column: number; down: boolean } | null>(null);
  const [wanted, setWanted] = useState("");
  const words = wanted.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found = search ? rows.filter((row) => words.every((word) => search(row).toLowerCase().includes(word))) : rows;
  const shown = order(found, sorting ? columns[sorting.column] : undefined, sorting?.down ?? false);
  const sortBy = (column: number) =>
    setSorting((now) => (now?.column === column ? { column, down: !now.down } : { column, down: columns[column]?.numeric ?? false }));
  return (
    <div>
      {search && (
        <p class="search">
          <label>Search <input type="search" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} /></label>
          <span aria-live="polite">{found.length} of {rows.length}</span>
        </p>
      )}
      <div class="scroll" tabIndex={0} role="group" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map((column, i) => {
                const mine = sorting?.column === i ? (sorting.down ? "descending" : "ascending") : "none";
                return (
                  <th key={column.title} scope="col" class={column.numeric ? "number" : ""} aria-sort={mine}>
                    <button type="button" onClick={() => sortBy(i)}>{column.title}<span class="arrow" aria-hidden="true" /></button>
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              <tr key={i} class={row === picked ? "picked" : ""}>
                {columns.map((column, c) => {
                  const content = column.show ? column.show(row) : column.value(row);
                  return (
                    <td key={column.title} class={column.numeric ? "number" : ""}>
                      {c === 0 && onPick
                        ? <button type="button" class="pick" aria-pressed={row === picked} onClick={() => onPick(row)}>{content}</button>
                        : content}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
