/** Makes dist/: declarations by tsc, bundles by rolldown. The old dist/ stays until the new one is whole. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { build, type OutputChunk } from "rolldown";
import { type Bundle, bundles } from "./bundles.ts";
import { licencesOf } from "./licences.ts";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const fresh = join(root, `dist.${process.pid}`);

async function main(): Promise<void> {
  const started = performance.now();
  mkdirSync(fresh);
  try {
    const [, ...chunks] = await all([declarations(), ...bundles.map(bundle)]);
    const modules = chunks.flat().flatMap(({ moduleIds }) => moduleIds);
    writeFileSync(join(fresh, "THIRD-PARTY-LICENCES.txt"), licencesOf(modules));
    rmSync(dist, { recursive: true, force: true });
    renameSync(fresh, dist);
    await promisify(execFile)(process.execPath, [join(root, "scripts/warm.js")]);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  for (const name of readdirSync(dist).filter((name) => /\.c?js$/.test(name))) {
    console.log(`${kilobytes(join(dist, name)).padStart(9)}  dist/${name}`);
  }
  console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Waits for every part, so that none writes into a folder that is being removed; reports all failures. */
async function all<T>(parts: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(parts);
  const failures = ends.flatMap((end) => (end.status === "rejected" ? [messageOf(end.reason)] : []));
  if (failures.length > 0) throw new Error(failures.join("\n"));
  return ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
}

async function declarations(): Promise<OutputChunk[]> {
  const types = join(fresh, "types");
  const args = [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    "tsconfig.build.json",
    "--outDir",
    types,
  ];
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error: { stdout?: string }) => {
    throw new Error(`tsc could not write the declarations:\n${error.stdout ?? error}`);
  });
  for (const file of readdirSync(types, { recursive: true, encoding: "utf8" })) {
    if (file.endsWith(".d.ts")) pointAtJavaScript(join(types, file));
  }
  return [];
}

/** tsc rewrites `./x.ts` to `./x.js` in code, but leaves it in declarations, where not every reader knows it. */
function pointAtJavaScript(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(/(\b(?:from |import\(|import )")(\.[^"\n]*)\.ts"/g, '$1$2.js"'));
}

async function bundle({ name, entry, external, kind }: Bundle): Promise<OutputChunk[]> {
  const complaints: string[] = [];
  const format = kind === "library" ? "esm" : "cjs";
  const extension = kind === "library" ? "js" : "cjs";
  const { output } = await build({
    input: { [name]: join(root, entry) },
    platform: "node",
    // Most of a program is not needed in most runs: V8 must not compile it before it is called.
    optimization: { pifeForModuleWrappers: false },
    // A package in CommonJS would not be tree-shaken.
    resolve: { mainFields: ["module", "main"] },
    external: (id) => isBuiltin(id) || isOneOf(external, id),
    onLog: (level, log) => void (level === "warn" && complaints.push(log.message)),
    output: {
      dir: fresh,
      format,
      codeSplitting: kind === "library",
      exports: "named",
      minify: true,
      entryFileNames: `[name].${extension}`,
      // Beside the entries: a chunk's import.meta.url must lead to the same neighbours.
      chunkFileNames: `[name]-[hash].${extension}`,
    },
  });
  const chunks = output.filter((file) => file.type === "chunk");
  complaints.push(...leftOver(chunks, external));
  if (complaints.length > 0) throw new Error(`bundling ${entry}:\n${complaints.join("\n")}`);
  for (const { fileName, code } of chunks) writeFileSync(join(fresh, fileName), inAscii(code));
  return chunks;
}

/** V8 keeps and decodes a text at twice the size if one of its characters is not of Latin 1. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** An import that is neither in the bundle nor meant to stay would only fail on a user's machine. */
function leftOver(chunks: readonly OutputChunk[], external: readonly string[]): string[] {
  const ours = new Set(chunks.map(({ fileName }) => fileName));
  const known = (id: string) => ours.has(id) || isBuiltin(id) || isOneOf(external, id);
  return chunks.flatMap(({ fileName, imports, dynamicImports }) =>
    [...imports, ...dynamicImports].filter((id) => !known(id)).map((id) => `${fileName} still imports ${id}`),
  );
}

function isOneOf(packages: readonly string[], id: string): boolean {
  return packages.some((name) => id === name || id.startsWith(`${name}/`));
}

function kilobytes(file: string): string {
  return `${(statSync(file).size / 1024).toFixed(1)} KB`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

main().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});
