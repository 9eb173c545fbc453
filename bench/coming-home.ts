import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { removeAll } from "../test/support/remove-all.ts";
import type { HomeAdapter } from "./coming-home/adapter.ts";
import { MERGES, playMerges } from "./coming-home/merges.ts";
import { gitApply, gitMerge } from "./coming-home/plain-git.ts";
import { playState, type State } from "./coming-home/scene.ts";
import { STATES } from "./coming-home/states.ts";
import { formatTable, type ToolVerdicts } from "./coming-home/table.ts";
import { TroupeAdapter } from "./coming-home/troupe.ts";
import { root } from "./folders.ts";
import type { BenchOptions, OwnTable } from "./result.ts";

/** Edits of isolated agents that come home into a checkout that is not clean, by Troupe and by other tools. */
export async function run({ quick, adapters }: BenchOptions): Promise<OwnTable> {
  const tools = [new TroupeAdapter(), gitMerge, gitApply, ...(await Promise.all(adapters.map(loadAdapter)))];
  const results: ToolVerdicts[] = [];
  for (const tool of tools)
    results.push(await playAll(tool, quick ? MERGES.filter((_, at) => at % 6 === 0) : MERGES, STATES));
  return { table: formatTable(results), data: results };
}

/** All cases of one tool, in a directory that is gone afterwards. */
export async function playAll(
  tool: HomeAdapter,
  merges: readonly string[],
  states: Readonly<Record<string, State>>,
  repository = root,
): Promise<ToolVerdicts> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "troupe-home-")));
  const home = join(dir, "home");
  mkdirSync(home);
  const env = {
    ...{ PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "A Person", GIT_AUTHOR_EMAIL: "person@example.org" },
    ...{ GIT_COMMITTER_NAME: "A Person", GIT_COMMITTER_EMAIL: "person@example.org" },
  };
  try {
    const played = [];
    for (const [at, [name, state]] of Object.entries(states).entries())
      played.push(await playState(tool, { dir: join(dir, `state-${at}`), env }, name, state));
    const place = { dir: join(dir, "merges"), env };
    return { tool: tool.name, merges: await playMerges(tool, place, repository, merges), states: played };
  } finally {
    await tool.close?.();
    removeAll(dir);
  }
}

/** Throws if the module has no adapter. */
export async function loadAdapter(file: string): Promise<HomeAdapter> {
  const { default: adapter }: { default?: HomeAdapter } = await import(pathToFileURL(resolve(file)).href);
  if (typeof adapter?.name !== "string" || typeof adapter.bring !== "function")
    throw new Error(`${file} has no adapter as its default export; see bench/coming-home/adapter.ts.`);
  return adapter;
}
