// Makes the script and the style of the page, in one file each, and the licences of the packages in
// them; the same bytes every time.
//
// usage: node build.mjs [FOLDER]     (python/tilewright/_page unless another is named)
import { build } from "esbuild";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import path from "node:path";

const here = path.dirname(fileURLToPath(import.meta.url));
const outdir = path.resolve(process.argv[2] ?? path.join(here, "../python/tilewright/_page"));

const { metafile } = await build({
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
  legalComments: "none", // licences.txt has them all
  metafile: true,
  logLevel: "warning",
});

/** The folders of the packages that files come from. */
function packagesOf(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

async function licenceOf(folder) {
  const place = path.join(here, folder);
  const { name, version, license } = JSON.parse(await readFile(path.join(place, "package.json"), "utf8"));
  const file = (await readdir(place)).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${name} has no text of its licence`);
  return `${name} ${version} (${license})\n\n${(await readFile(path.join(place, file), "utf8")).trim()}\n`;
}

const licences = await Promise.all(packagesOf(Object.keys(metafile.inputs)).map(licenceOf));
await writeFile(path.join(outdir, "licences.txt"), licences.join("\n---\n\n"));
