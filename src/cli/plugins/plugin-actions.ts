import { existsSync, rmSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { canonicalJson, valueAt } from "../../lib/json.ts";
import { expandHome } from "../../lib/paths.ts";
import { printable } from "../../lib/text.ts";
import { grantLines } from "../../policy/trust/trust-text.ts";
import { editSettings } from "../../settings/edit-settings.ts";
import { settingsPaths } from "../../settings/paths.ts";
import { whereOf } from "../directories.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { readChosenPlugins } from "../session-settings.ts";
import { askYesOrNo } from "../yes-or-no.ts";
import { cloneBeside } from "./clone.ts";
import { findPlugin, locateMarketplace, openMarketplace, readMarketplace } from "./marketplaces.ts";
import { type Agreeable, agreeToPlugin, notAgreed, pluginParts } from "./plugin-parts.ts";
import { isShortName } from "./sources.ts";

async function writeSetting(io: CliIO, path: readonly string[], value: unknown): Promise<void> {
  const place = settingsPaths(whereOf(io, io.cwd)).find(({ scope }) => scope === "user");
  const refusal = place && (await editSettings(place, io.homedir, path, value));
  if (typeof refusal === "string") throw new Error(refusal);
}

/** Adds a marketplace in a directory, or clones one. */
export async function addMarketplace(where: string, io: CliIO): Promise<number> {
  const { search } = await readChosenPlugins(io, io.cwd);
  const path = resolve(io.cwd, expandHome(where, io.homedir));
  const isLocal = existsSync(path) && (isAbsolute(where) || !/^\w[\w+.-]*:/.test(where));
  if (!isLocal && /^(?:\/|~|\.\.?(?:\/|$))/.test(where))
    throw new UsageError(`There is no file or directory ${printable(path)}.`);
  const [, address = where, ref] = /^(.+)#([^#]+)$/.exec(where) ?? [];
  const url = isShortName(address) ? `https://github.com/${address}.git` : address;
  const kind = isLocal && statSync(path).isFile() ? "file" : "directory";
  const source = isLocal
    ? { source: kind, path }
    : { source: "git", url, ...(ref === undefined ? {} : { ref }) };
  const place = locateMarketplace(where, source, search);
  if ("problem" in place) throw new UsageError(place.problem);
  const fresh = place.clone === null ? null : await cloneBeside(io, place.clone);
  try {
    const read = readMarketplace(fresh?.dir ?? place.dir);
    if ("problem" in read)
      throw new UsageError(fresh === null ? read.problem : read.problem.replaceAll(fresh.dir, url));
    const { name, entries, notes } = read;
    fresh?.place();
    await writeSetting(io, ["extraKnownMarketplaces", name], { source });
    await printNotes(io, notes);
    const before = valueAt(search.known[name], ["source"]) ?? source;
    const isOther = canonicalJson(before) !== canonicalJson(source);
    const replaced = isOther ? " It replaces another one of this name." : "";
    await io.stdout.write(
      `The marketplace ${name} has ${entries.length} plug-in${entries.length === 1 ? "" : "s"}; troupe plugin list shows them.${replaced}\n`,
    );
    return exitCodes.done;
  } finally {
    fresh?.discard();
  }
}

export async function removeMarketplace(name: string, io: CliIO): Promise<number> {
  const { search } = await readChosenPlugins(io, io.cwd);
  if (!Object.hasOwn(search.known, name)) {
    const where = Object.hasOwn(search.proposed, name) ? " of your own: this project's settings name it" : "";
    throw new UsageError(
      `There is no marketplace ${printable(name)}${where}; troupe plugin list shows all plug-ins.`,
    );
  }
  const opened = openMarketplace(name, search);
  await writeSetting(io, ["extraKnownMarketplaces", name], undefined);
  if ("clone" in opened && opened.clone !== null) rmSync(opened.clone.to, { recursive: true, force: true });
  await io.stdout.write(`The marketplace ${printable(name)} is removed.\n`);
  return exitCodes.done;
}

/** Enables a plug-in, after the user has agreed to what it runs. One that the project proposes stays the project's. */
export async function enablePlugin(id: string, agrees: boolean, io: CliIO): Promise<number> {
  const { search, enabled, proposed } = await readChosenPlugins(io, io.cwd);
  const found = findPlugin(id, search);
  if ("problem" in found) throw new UsageError(found.problem);
  const isProposed = proposed.includes(id);
  if (!isProposed && !Object.hasOwn(search.known, found.marketplace.name))
    throw new UsageError(
      `The marketplace ${printable(found.marketplace.name)} is in this project's settings only; add it to yours with troupe plugin marketplace add PATH|URL.`,
    );
  if (found.clone !== null && !existsSync(found.clone.to)) (await cloneBeside(io, found.clone)).place();
  if (!existsSync(found.dir)) throw new Error(`The plug-in ${printable(id)} has no directory ${found.dir}.`);
  if (!(await askAboutPlugin({ id, ...found }, agrees, io))) {
    await printNotes(io, [`The plug-in ${printable(id)} is not enabled; --yes agrees without a question.`]);
    return exitCodes.notDone;
  }
  if (!isProposed && enabled[id] !== true) await writeSetting(io, ["enabledPlugins", id], true);
  const by = isProposed ? " by this project, and you have agreed to it" : "";
  await io.stdout.write(`The plug-in ${printable(id)} is enabled${by}; it is there from the next session.\n`);
  return exitCodes.done;
}

/** Shows what a plug-in runs. True, and recorded, if the user agrees. */
export async function askAboutPlugin(plugin: Agreeable, agrees: boolean, io: CliIO): Promise<boolean> {
  const { plugin: read, files, grants } = await pluginParts(plugin);
  await printNotes(io, [...read.notes, ...files.flatMap(({ warnings }) => warnings)]);
  const lines = [
    `The plug-in ${printable(plugin.id)} will:`,
    ...grantLines(grants, Number.POSITIVE_INFINITY),
    "Do you agree?",
  ];
  const isAgreed = (await notAgreed(io, plugin, grants))?.length === 0;
  if (grants.length > 0 && (agrees || isAgreed)) await printNotes(io, lines.slice(0, -1));
  const isFine = agrees || isAgreed || grants.length === 0 || (await askYesOrNo(io, lines.join("\n")));
  if (isFine) await agreeToPlugin(io, plugin, grants);
  return isFine;
}

/** Disables a plug-in, or removes it with its clone. */
export async function disablePlugin(id: string, io: CliIO, { removes = false } = {}): Promise<number> {
  const { search, enabled, proposed } = await readChosenPlugins(io, io.cwd);
  const isOwn = Object.hasOwn(enabled, id);
  if (!isOwn && !proposed.includes(id))
    throw new UsageError(`The plug-in ${printable(id)} is not installed; troupe plugin list shows all.`);
  if (!isOwn && removes)
    throw new UsageError(
      `The plug-in ${printable(id)} is enabled by this project's settings; troupe plugin disable ${printable(id)} switches it off for you.`,
    );
  const found = findPlugin(id, search);
  await writeSetting(io, ["enabledPlugins", id], removes ? undefined : false);
  if (removes && "clone" in found) {
    await agreeToPlugin(io, { id, ...found }, null);
    if (found.clone !== null) rmSync(found.clone.to, { recursive: true, force: true });
  }
  await io.stdout.write(`The plug-in ${printable(id)} is ${removes ? "removed" : "disabled"}.\n`);
  return exitCodes.done;
}

/** Lists the plug-ins of all marketplaces, and those that are enabled and in none. */
export async function listPlugins(io: CliIO): Promise<number> {
  const { search, enabled, proposed } = await readChosenPlugins(io, io.cwd);
  const notes: string[] = [];
  const names = new Set([...Object.keys(search.known), ...Object.keys(search.proposed)]);
  const known = [...names].flatMap((name) => {
    const marketplace = openMarketplace(name, search);
    notes.push(...("problem" in marketplace ? [marketplace.problem] : marketplace.notes));
    return "problem" in marketplace
      ? []
      : marketplace.entries.map((entry) => ({ id: `${entry.name}@${name}`, text: entry.description }));
  });
  const ids = new Set(known.map(({ id }) => id));
  const others = [...Object.keys(enabled), ...proposed].filter((id) => !ids.has(id));
  const state = (id: string) =>
    Object.hasOwn(enabled, id)
      ? enabled[id] === true
        ? "enabled"
        : "disabled"
      : proposed.includes(id)
        ? "enabled by this project"
        : "not installed";
  const lines = [...known, ...others.map((id) => ({ id, text: "in no marketplace" }))].map(({ id, text }) =>
    `${printable(id)}  ${state(id)}  ${printable(text)}`.trimEnd(),
  );
  await io.stdout.write(lines.length === 0 ? "" : `${lines.join("\n")}\n`);
  if (lines.length === 0)
    notes.push("There are no plug-ins; troupe plugin marketplace add PATH|URL adds a marketplace.");
  await printNotes(io, notes);
  return exitCodes.done;
}
