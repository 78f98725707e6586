// Makes the script and the style of the page, in one file each, the same bytes every time.
//
// usage: node build.mjs [FOLDER]     (python/tilewright/_page unless another is named)
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const outdir = path.resolve(process.argv[2] ?? path.join(here, "../python/tilewright/_page"));

await build({
  absWorkingDir: here,
  entryPoints: { page: "src/main.tsx", style: "src/style.css" },
  outdir,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  charset: "ascii",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "inline",
  logLevel: "warning",
});
