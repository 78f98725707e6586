// What is explored, as a file, a command line, a program or a report.
import { useState } from "preact/hooks";
import { ask, textOf, type Question } from "./explore_ask";

type Form = "yaml" | "command" | "python" | "report";

const FORMS: Record<Form, { button: string; file: string; kind: string }> = {
  yaml: { button: "Save YAML", file: "architecture.yaml", kind: "text/yaml" },
  command: { button: "Command", file: "map.sh", kind: "text/x-shellscript" },
  python: { button: "Python", file: "map.py", kind: "text/x-python" },
  report: { button: "Save report", file: "report.html", kind: "text/html" },
};

function save(name: string, text: string, kind: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

interface Exported {
  form: Form;
  text: string;
  of: Question;
}

export function Export({ token, now }: { token: string; now: Question }) {
  const [exported, set] = useState<Exported | null>(null);
  const [problem, complain] = useState("");
  const make = async (form: Form) => {
    const { text, problems } = await ask("/export", token, { ...now, form }).catch((): Awaited<ReturnType<typeof ask>> => ({}));
    complain(text === undefined ? problems?.map(textOf).join(" ") ?? "the server does not answer" : "");
    if (text === undefined) return;
    if (form === "yaml" || form === "report") save(FORMS[form].file, text, FORMS[form].kind);
    else set({ form, text, of: now });
  };
  return (
    <>
      <p class="buttons">{(Object.keys(FORMS) as Form[]).map((form) => <button type="button" onClick={() => void make(form)}>{FORMS[form].button}</button>)}</p>
      {problem !== "" && <p class="problem" role="alert">{problem}</p>}
      {exported && (
        <div id="exported">
          <p class="note" role="status">{exported.of === now ? "This gives what is shown:" : "This gives what was shown when it was made:"}</p>
          <pre tabIndex={0}>{exported.text}</pre>
          <p class="buttons">
            <button type="button" onClick={() => void navigator.clipboard.writeText(exported.text)}>Copy</button>
            <button type="button" onClick={() => save(FORMS[exported.form].file, exported.text, FORMS[exported.form].kind)}>Save</button>
            <button type="button" onClick={() => set(null)}>Close</button>
          </p>
        </div>
      )}
    </>
  );
}
