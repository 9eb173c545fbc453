import { existsSync, mkdtempSync, renameSync, symlinkSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";
import { type Bundle, bundles } from "../../scripts/bundles.ts";

const root = join(import.meta.dirname, "../..");
/** Where the bundles of this run are, as the address of a file beside them. */
const PLACE = "TROUPE_TESTS_ENTRIES";

/**
 * Threads and processes that tests start run bundles of the sources as they are now: a thread or a process that
 * loads sources costs three times as much, and thousands start in a run. Made anew for each run, so never stale.
 */
export default async function bundledEntries(): Promise<void> {
  const home = dirname(process.env["TROUPE_HOME"] ?? "");
  const folder = join(home, "entries");
  await Promise.all(
    bundles
      .filter(({ kind }) => kind === "thread")
      .map((bundle) => bundled({ ...bundle, entry: join(root, bundle.entry) }, folder)),
  );
  symlinkSync(join(root, "node_modules"), join(home, "node_modules"));
  process.env[PLACE] = pathToFileURL(join(folder, "beside.js")).href;
}

/** A program of a test, as one file beside those bundles: worth it where it is started several times. */
export async function bundledProgram(file: string): Promise<string> {
  const place = process.env[PLACE];
  const like = bundles.find(({ name }) => name === "cli");
  if (place === undefined || like === undefined) return file;
  const folder = dirname(fileURLToPath(place));
  const name = basename(file, ".ts");
  const made = join(folder, `${name}.js`);
  if (existsSync(made)) return made;
  // Two test processes may want it at once.
  const own = mkdtempSync(join(folder, "program-"));
  await bundled({ ...like, name, entry: file, external: [...like.external, "vitest"] }, own);
  renameSync(join(own, `${name}.js`), made);
  return made;
}

/** The same for the file of a thread, as its address. */
export async function bundledThread(entry: URL): Promise<string> {
  return pathToFileURL(await bundledProgram(fileURLToPath(entry))).href;
}

async function bundled({ name, entry, external, kind }: Bundle, dir: string): Promise<void> {
  const extension = kind === "thread" ? "cjs" : "js";
  await build({
    input: { [name]: entry },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    external: (id) => isBuiltin(id) || external.some((own) => id === own || id.startsWith(`${own}/`)),
    // What a program's neighbours import from the test runner is not for it.
    ...(kind === "thread" ? {} : { treeshake: { moduleSideEffects: "no-external" } as const }),
    logLevel: "silent",
    output: {
      ...{
        dir,
        format: kind === "thread" ? "cjs" : "esm",
        codeSplitting: false,
        exports: "named",
        minify: true,
      },
      entryFileNames: `[name].${extension}`,
    },
  });
}

/** A source that starts one of them looks for it beside itself: in a test process, beside the bundles of the run. */
export const startsBundles = {
  name: "troupe:starts-bundles",
  enforce: "pre" as const,
  transform(code: string, id: string): string | null {
    if (
      !id.startsWith(join(root, "src")) ||
      !/import\.meta\.url\.endsWith\("\.ts"\) \?\s"\.\/[^"]+\.ts"/.test(code)
    )
      return null;
    return code.replaceAll("import.meta.url", `(process.env[${JSON.stringify(PLACE)}] ?? import.meta.url)`);
  },
};
