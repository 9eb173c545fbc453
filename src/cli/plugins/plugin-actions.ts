import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { printable } from "../../lib/printable.ts";
import { trustFolder } from "../../policy/trust/trust-store.ts";
import { commandEnvironment } from "../../processes/environment.ts";
import { editSettings } from "../../settings/edit-settings.ts";
import { settingsPaths } from "../../settings/paths.ts";
import { gitIn } from "../../worktrees/git.ts";
import { whereOf } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import type { CliIO } from "../io.ts";
import { printNotes } from "../print.ts";
import { pluginSettings } from "../session-settings.ts";
import { UsageError } from "../usage-error.ts";
import { askYesOrNo } from "../yes-or-no.ts";
import { clonesDir, findPlugin, isPlainName, openMarketplace, readMarketplace } from "./marketplaces.ts";
import { pluginParts } from "./session-plugins.ts";

async function write(io: CliIO, path: readonly string[], value: unknown): Promise<void> {
  const place = settingsPaths(whereOf(io, io.cwd)).find(({ scope }) => scope === "user");
  const refusal = place && (await editSettings(place, io.homedir, path, value));
  if (typeof refusal === "string") throw new Error(refusal);
}

/** A server that sends nothing for 30 s is given up. */
const CLONE = "-c http.lowSpeedLimit=1 -c http.lowSpeedTime=30 clone -q --depth 1 --".split(" ");

async function clone(io: CliIO, url: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true });
  const git = gitIn(dirname(to), commandEnvironment(io.env));
  await printNotes(io, [`Cloning ${printable(url)} …`]);
  const { code, err } = await git.run([...CLONE, url, to]);
  if (code !== 0)
    throw new Error(`${printable(url)} could not be cloned: ${printable(err.split("\n").at(0) ?? "")}`);
}

/** Adds a marketplace in a directory, or clones one. */
export async function addMarketplace(where: string, io: CliIO): Promise<number> {
  const { search } = await pluginSettings(io);
  const path = resolve(io.cwd, where);
  const isLocal = existsSync(path) && (isAbsolute(where) || !/^\w[\w+.-]*:/.test(where));
  const waiting = join(clonesDir(search.home), "marketplaces", `.new-${process.pid}`);
  const isShort = /^[\w-]+\/[\w.-]+$/.test(where);
  const url = isShort ? `https://github.com/${where}.git` : where;
  if (!isLocal) await clone(io, url, waiting);
  try {
    const read = readMarketplace(isLocal ? path : waiting);
    if ("problem" in read) throw new UsageError(read.problem);
    const { name, entries } = read;
    if (!isLocal) {
      const to = join(clonesDir(search.home), "marketplaces", name);
      rmSync(to, { recursive: true, force: true });
      renameSync(waiting, to);
    }
    const source = isLocal ? { source: "directory", path } : { source: "git", url };
    await write(io, ["extraKnownMarketplaces", name], { source });
    await io.stdout.write(
      `The marketplace ${name} has ${entries.length} plug-ins; troupe plugin list shows them.\n`,
    );
    return exitCodes.done;
  } finally {
    rmSync(waiting, { recursive: true, force: true });
  }
}

export async function removeMarketplace(name: string, io: CliIO): Promise<number> {
  const { search } = await pluginSettings(io);
  if (!Object.hasOwn(search.known, name))
    throw new UsageError(`There is no marketplace ${printable(name)}; troupe plugin list shows all.`);
  await write(io, ["extraKnownMarketplaces", name], undefined);
  if (isPlainName(name))
    rmSync(join(clonesDir(search.home), "marketplaces", name), { recursive: true, force: true });
  await io.stdout.write(`The marketplace ${printable(name)} is removed.\n`);
  return exitCodes.done;
}

/** Enables a plug-in, after the user has agreed to what it runs. */
export async function enablePlugin(id: string, agrees: boolean, io: CliIO): Promise<number> {
  const { search } = await pluginSettings(io);
  const found = findPlugin(id, search);
  if ("problem" in found) throw new UsageError(found.problem);
  if (found.clone !== null && !existsSync(found.clone.to)) await clone(io, found.clone.url, found.clone.to);
  if (!existsSync(found.dir)) throw new Error(`The plug-in ${printable(id)} has no directory ${found.dir}.`);
  const { plugin, grants } = await pluginParts(found.dir);
  await printNotes(io, plugin.notes);
  if (grants.length > 0) {
    const items = grants.map(({ words }) => `\n  - ${words}`).join("");
    const lines = `The plug-in ${printable(id)} will:${items}`;
    if (agrees) await printNotes(io, [lines]);
    else if (!(await askYesOrNo(io, `${lines}\nDo you agree?`))) {
      await printNotes(io, [`The plug-in ${printable(id)} is not enabled; --yes agrees without a question.`]);
      return exitCodes.notDone;
    }
    const problem = await trustFolder(search.home, found.dir, grants, io.clock);
    if (problem !== null) throw new Error(problem);
  }
  await write(io, ["enabledPlugins", id], true);
  await io.stdout.write(`The plug-in ${printable(id)} is enabled for the next session.\n`);
  return exitCodes.done;
}

/** Disables a plug-in, or removes it with its clone. */
export async function disablePlugin(id: string, io: CliIO, { removes = false } = {}): Promise<number> {
  const { search, enabled } = await pluginSettings(io);
  if (!Object.hasOwn(enabled, id))
    throw new UsageError(`The plug-in ${printable(id)} is not installed; troupe plugin list shows all.`);
  await write(io, ["enabledPlugins", id], removes ? undefined : false);
  const found = removes ? findPlugin(id, search) : null;
  if (found !== null && "clone" in found && found.clone !== null)
    rmSync(found.clone.to, { recursive: true, force: true });
  await io.stdout.write(`The plug-in ${printable(id)} is ${removes ? "removed" : "disabled"}.\n`);
  return exitCodes.done;
}

/** Lists the plug-ins of all marketplaces, and those that are enabled and in none. */
export async function listPlugins(io: CliIO): Promise<number> {
  const { search, enabled } = await pluginSettings(io);
  const notes: string[] = [];
  const known = Object.keys(search.known).flatMap((name) => {
    const marketplace = openMarketplace(name, search);
    if ("problem" in marketplace) notes.push(marketplace.problem);
    return "problem" in marketplace
      ? []
      : marketplace.entries.map((entry) => ({ id: `${entry.name}@${name}`, text: entry.description }));
  });
  const ids = new Set(known.map(({ id }) => id));
  const others = Object.keys(enabled).filter((id) => !ids.has(id));
  const state = (id: string) =>
    Object.hasOwn(enabled, id) ? (enabled[id] === true ? "enabled" : "disabled") : "not installed";
  const lines = [...known, ...others.map((id) => ({ id, text: "in no marketplace" }))].map(({ id, text }) =>
    `${printable(id)}  ${state(id)}  ${printable(text)}`.trimEnd(),
  );
  await io.stdout.write(lines.length === 0 ? "" : `${lines.join("\n")}\n`);
  if (lines.length === 0)
    notes.push("There are no plug-ins; troupe plugin marketplace add PATH|URL adds a marketplace.");
  await printNotes(io, notes);
  return exitCodes.done;
}
