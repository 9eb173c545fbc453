import { dirname, join, resolve } from "node:path";
import { parseJson, valueAt } from "../../lib/json.ts";
import { isObject } from "../../lib/objects.ts";
import { isPathInside } from "../../lib/paths.ts";
import { printable } from "../../lib/printable.ts";
import { readRegularFile } from "../../lib/read-regular-file.ts";

/** Marketplaces by name, as `extraKnownMarketplaces` of settings has them. */
export type KnownMarketplaces = Readonly<Record<string, unknown>>;

/** Where plug-ins and marketplaces are looked up. */
export interface MarketplaceSearch {
  readonly known: KnownMarketplaces;
  /** Troupe's own directory, with the clones. */
  readonly home: string;
}

export interface MarketplaceEntry {
  readonly name: string;
  readonly source: unknown;
  readonly description: string;
}

export interface Marketplace {
  readonly name: string;
  readonly dir: string;
  readonly entries: readonly MarketplaceEntry[];
}

/** A directory of a plug-in, and what git clones to get it; or a sentence why it cannot be used. */
export type FoundPlugin =
  | { readonly dir: string; readonly clone: { readonly url: string; readonly to: string } | null }
  | { readonly problem: string };

/** A name of a marketplace or a plug-in is also the name of a directory. */
export function isPlainName(name: string): boolean {
  return /^(?!\.)[\w.-]{1,64}$/.test(name);
}

export function clonesDir(home: string): string {
  return join(home, "plugins");
}

/** Returns the address that git clones for `{source: "github" | "git" | "url", …}`, or null. */
export function cloneAddress(source: unknown): string | null {
  const text = (key: string) => {
    const value = valueAt(source, [key]);
    return typeof value === "string" && value !== "" ? value : null;
  };
  const repo = text("repo");
  const kind = text("source");
  if (kind === "github") return repo === null ? null : `https://github.com/${repo}.git`;
  return kind === "git" || kind === "url" || kind === "git-subdir" ? text("url") : null;
}

/** Reads a marketplace's own file, in its directory. Returns a sentence if it cannot be used. */
export function readMarketplace(dir: string): Marketplace | { readonly problem: string } {
  const file = join(dir, ".claude-plugin", "marketplace.json");
  const read = readRegularFile(file);
  const value = read.type === "read" ? parseJson(read.bytes.toString()) : undefined;
  const name = valueAt(value, ["name"]);
  const plugins = valueAt(value, ["plugins"]);
  if (typeof name !== "string" || !isPlainName(name) || !Array.isArray(plugins))
    return { problem: `${file} is not a marketplace: it needs a "name" and a list "plugins".` };
  const root = valueAt(value, ["metadata", "pluginRoot"]);
  const base = typeof root === "string" ? root : ".";
  const entries = plugins.filter(isObject).flatMap((one): MarketplaceEntry[] => {
    const { name: own, source, description } = { ...one } as Readonly<Record<string, unknown>>;
    if (typeof own !== "string" || !isPlainName(own)) return [];
    const path = typeof source === "string" && !source.startsWith("./") ? join(base, source) : source;
    return [{ name: own, source: path, description: typeof description === "string" ? description : "" }];
  });
  return { name, dir, entries };
}

/** Finds the directory of a marketplace that settings name. */
export function openMarketplace(
  name: string,
  { known, home }: MarketplaceSearch,
): Marketplace | { readonly problem: string } {
  const source = Object.hasOwn(known, name) ? valueAt(known[name], ["source"]) : undefined;
  const path = valueAt(source, ["path"]);
  const kind = valueAt(source, ["source"]);
  if (typeof path === "string" && (kind === "directory" || kind === "file"))
    return readMarketplace(kind === "file" ? dirname(dirname(path)) : path);
  if (isPlainName(name) && cloneAddress(source) !== null)
    return readMarketplace(join(clonesDir(home), "marketplaces", name));
  return {
    problem: `There is no marketplace ${printable(name)}; add it with troupe plugin marketplace add PATH|URL.`,
  };
}

/** Finds a plug-in by `name@marketplace`. */
export function findPlugin(id: string, search: MarketplaceSearch): FoundPlugin {
  const [, name = "", market = ""] = /^([^@]+)@([^@]+)$/.exec(id) ?? [];
  if (name === "") return { problem: `${printable(id)} does not name a plug-in; write NAME@MARKETPLACE.` };
  const marketplace = openMarketplace(market, search);
  if ("problem" in marketplace) return marketplace;
  const entry = marketplace.entries.find((one) => one.name === name);
  if (entry === undefined)
    return { problem: `The marketplace ${printable(market)} has no plug-in ${printable(name)}.` };
  if (typeof entry.source === "string") {
    const dir = resolve(marketplace.dir, entry.source);
    return isPathInside(dir, marketplace.dir)
      ? { dir, clone: null }
      : { problem: `The plug-in ${printable(id)} is outside its marketplace, so it is left out.` };
  }
  const url = cloneAddress(entry.source);
  if (url === null)
    return { problem: `The source of the plug-in ${printable(id)} is of a kind not used here.` };
  const pin = valueAt(entry.source, ["sha"]) ?? valueAt(entry.source, ["ref"]);
  if (typeof pin === "string")
    return {
      problem: `The plug-in ${printable(id)} is pinned to ${printable(pin)}, and Troupe takes only the newest state of a repository, so it is left out.`,
    };
  const to = join(clonesDir(search.home), "cache", marketplace.name, name);
  const below = valueAt(entry.source, ["path"]);
  const dir = typeof below === "string" ? resolve(to, below) : to;
  return isPathInside(dir, to)
    ? { dir, clone: { url, to } }
    : { problem: `The plug-in ${printable(id)} is outside its repository, so it is left out.` };
}
