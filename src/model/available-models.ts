import { type Aliases, DEFAULT_ALIASES, DEFAULT_MODEL, resolveModel } from "./aliases.ts";
import { withoutLongMark } from "./known-models.ts";

/** Lists of `availableModels`, one for each file that has one: a model must be in all of them. */
export type AvailableModels = readonly (readonly string[])[];

const FAMILY = new RegExp(`(?:^|-)(${Object.keys(DEFAULT_ALIASES).join("|")})(?=-|$)`);

/**
 * Returns why a model may not be used, or null. An entry is an alias, which is its family; a full ID; or the beginning of
 * one up to a hyphen, with or without `claude-`. An empty list leaves the default.
 */
export function modelRefusal(
  model: string,
  available: AvailableModels | undefined = [],
  aliases: Aliases = {},
): string | null {
  const id = plain(resolveModel(model, aliases));
  const refusing = available.find((list) => !entriesOf(list).some((entry) => isIn(entry, id, aliases)));
  return refusing === undefined || id === "offline"
    ? null
    : `The model ${model} is not among availableModels of your settings (${entriesOf(refusing).join(", ")}); choose one of these.`;
}

/** Returns the first model that every list has: for when none is chosen and the default is not available. */
export function firstAvailable(available: AvailableModels, aliases: Aliases): string | undefined {
  return available.flat().find((entry) => modelRefusal(entry, available, aliases) === null);
}

function entriesOf(list: readonly string[]): readonly string[] {
  return list.length === 0 ? [DEFAULT_MODEL] : list;
}

function isIn(entry: string, id: string, aliases: Aliases): boolean {
  const named = plain(entry);
  const family = FAMILY.exec(id)?.[1];
  // An alias that was given to a model of another family does not make that model available.
  if (Object.hasOwn(DEFAULT_ALIASES, named))
    return family === undefined ? id === plain(resolveModel(named, aliases)) : family === named;
  return [named, `claude-${named}`].some((start) => id === start || id.startsWith(`${start}-`));
}

function plain(name: string): string {
  return withoutLongMark(name.toLowerCase());
}
