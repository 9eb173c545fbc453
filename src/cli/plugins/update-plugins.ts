import { existsSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { valueAt } from "../../lib/json.ts";
import { printable } from "../../lib/text.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { readChosenPlugins } from "../session-settings.ts";
import { cloneBeside, revisionOf } from "./clone.ts";
import { type Clone, findPlugin, locateMarketplace } from "./marketplaces.ts";
import { askAboutPlugin } from "./plugin-actions.ts";
import { notAgreed, pluginParts } from "./plugin-parts.ts";

/**
 * Gets marketplaces and their installed plug-ins as they are now: all, those of a marketplace, or one plug-in. What has
 * changed counts again when the user has agreed to it.
 */
export async function updatePlugins(name: string | undefined, agrees: boolean, io: CliIO): Promise<number> {
  const { search, enabled, proposed } = await readChosenPlugins(io, io.cwd);
  const known = { ...search.proposed, ...search.known };
  const only = name === undefined ? undefined : (/@([^@]+)$/.exec(name)?.[1] ?? name);
  if (only !== undefined && !Object.hasOwn(known, only))
    throw new UsageError(
      `There is no marketplace ${printable(only)}; troupe plugin list shows all plug-ins.`,
    );
  const isMeant = (id: string) => only === undefined || id === name || id.endsWith(`@${name}`);
  const ids = [...Object.keys(enabled), ...proposed].filter(isMeant);
  if (name?.includes("@") && ids.length === 0)
    throw new UsageError(`The plug-in ${printable(name)} is not installed; troupe plugin list shows all.`);
  let isDone = true;
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      isDone = false;
      await printNotes(io, [errorMessage(error)]);
    }
  };
  for (const market of Object.keys(known).filter((one) => only === undefined || one === only))
    await attempt(async () => {
      const place = locateMarketplace(market, valueAt(known[market], ["source"]), search);
      if ("problem" in place) throw new Error(place.problem);
      const what = `The marketplace ${printable(market)}`;
      if (place.clone === null) await io.stdout.write(`${what} is a directory, so it is always current.\n`);
      else await renew(io, place.clone, what);
    });
  for (const id of ids)
    await attempt(async () => {
      const found = findPlugin(id, search);
      if ("problem" in found) throw new Error(found.problem);
      const what = `The plug-in ${printable(id)}`;
      if (found.clone !== null) {
        const isPinned = found.clone.source.sha !== null && existsSync(found.clone.to);
        if (isPinned) await io.stdout.write(`${what} is pinned to ${found.clone.source.sha}.\n`);
        else await renew(io, found.clone, what);
        removeOlder(found.clone);
      }
      if (!existsSync(found.dir)) throw new Error(`${what} has no directory ${found.dir}.`);
      const { grants } = await pluginParts(found);
      const fresh = await notAgreed(io, { id, ...found }, grants);
      if (grants.length === 0 || fresh?.length === 0 || enabled[id] === false) return;
      if (await askAboutPlugin({ id, ...found }, agrees, io)) return;
      isDone = false;
      await printNotes(io, [
        `${what} has changed, so it is left out until you agree: troupe plugin enable ${printable(id)} asks.`,
      ]);
    });
  if (ids.length === 0 && Object.keys(known).length === 0)
    await printNotes(io, ["There are no marketplaces; troupe plugin marketplace add PATH|URL adds one."]);
  return isDone ? exitCodes.done : exitCodes.notDone;
}

/** Gets a clone again, and says whether it has changed. */
async function renew(io: CliIO, clone: Clone, what: string): Promise<void> {
  const short = (dir: string) => revisionOf(io, dir, "--short=10", "HEAD");
  const before = await short(clone.to);
  const fresh = await cloneBeside(io, clone);
  const now = await short(fresh.dir);
  if (before === now) fresh.discard();
  else fresh.place();
  await io.stdout.write(
    before === now
      ? `${what} has not changed (${now}).\n`
      : `${what} is now at ${now}${before === null ? "" : `; it was at ${before}`}.\n`,
  );
}

/** Removes the plug-in's clones of other addresses and commits. */
function removeOlder({ to }: Clone): void {
  const start = basename(to).slice(0, -12);
  for (const name of existsSync(dirname(to)) ? readdirSync(dirname(to)) : [])
    if (name !== basename(to) && name.startsWith(start) && name.length === basename(to).length)
      rmSync(join(dirname(to), name), { recursive: true, force: true });
}
