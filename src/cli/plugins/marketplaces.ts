import { basename, dirname, join, resolve } from "node:path";
import type { PluginSource } from "../../context/plugins/read-plugin.ts";
import { readRegularFile } from "../../lib/files.ts";
import { isObject, type JsonObject, parseJson, valueAt } from "../../lib/json.ts";
import { expandHome, isPathInside } from "../../lib/paths.ts";
import { printable } from "../../lib/text.ts";
import {
  cloneName,
  type GitSource,
  type MarketplacePolicy,
  policyRefusal,
  readGitSource,
  repositoryName,
} from "./sources.ts";

/** Where plug-ins and marketplaces are looked up. */
export interface MarketplaceSearch {
  /** Marketplaces by name, as `extraKnownMarketplaces` of settings has them: the user's and the organisation's. */
  readonly known: JsonObject;
  /** Those that only the project's settings name. */
  readonly proposed: JsonObject;
  readonly policy: MarketplacePolicy;
  /** Troupe's own directory, with the clones. */
  readonly home: string;
  readonly homedir: string;
  /** The directory of the session: relative paths start there. */
  readonly root: string;
}

export interface MarketplaceEntry {
  readonly name: string;
  readonly source: unknown;
  readonly description: string;
  /** All of it, for what it says of the plug-in's parts. */
  readonly value: JsonObject;
}

export interface Marketplace {
  /** As settings name it. */
  readonly name: string;
  readonly dir: string;
  readonly file: string;
  /** What git got, or null for a directory. */
  readonly clone: Clone | null;
  readonly entries: readonly MarketplaceEntry[];
  /** Sentences about entries that were left out. */
  readonly notes: readonly string[];
}

/** What git gets, and where it is put. */
export interface Clone {
  readonly source: GitSource;
  readonly to: string;
}

/** Where a plug-in is, and what git gets for it. */
export interface FoundPlugin extends Required<Pick<PluginSource, "dir" | "entry" | "reach">> {
  readonly marketplace: Marketplace;
  /** Null if it is in its marketplace. */
  readonly clone: Clone | null;
}

export interface NotUsed {
  readonly problem: string;
}

/** A name of a marketplace or a plug-in is also the name of a directory. */
export function isPlainName(name: string): boolean {
  return /^(?!\.)[\w.-]{1,64}$/.test(name);
}

export function clonesDir(home: string): string {
  return join(home, "plugins");
}

/**
 * Returns where a marketplace is. Every use of one goes through here, so nothing is read or cloned that the organisation
 * does not allow.
 */
export function locateMarketplace(
  name: string,
  source: unknown,
  { policy, home, homedir, root }: Omit<MarketplaceSearch, "known" | "proposed">,
): { readonly dir: string; readonly clone: Clone | null } | NotUsed {
  const unusable = (why: string): NotUsed => ({ problem: `The marketplace ${printable(name)} ${why}.` });
  const git = readGitSource(source);
  const [kind, path] = [valueAt(source, ["source"]), valueAt(source, ["path"])];
  const isLocal = (kind === "directory" || kind === "file") && typeof path === "string" && path !== "";
  if (git !== null && "problem" in git) return unusable(`cannot be used: ${git.problem}`);
  if (!isLocal && git === null)
    return unusable(
      `is of a kind not used here (${printable(typeof kind === "string" ? kind : "none")}); Troupe takes directories and git`,
    );
  const absolute = isLocal ? resolve(root, expandHome(path, homedir)) : null;
  const refusal = policyRefusal(
    { ...(isObject(source) ? source : {}), ...(absolute === null ? {} : { path: absolute }) },
    policy,
  );
  if (refusal !== null) return unusable(refusal);
  if (absolute !== null) return { dir: kind === "file" ? dirname(dirname(absolute)) : absolute, clone: null };
  if (git === null) return unusable("has no source");
  if (/\.json$/i.test(git.url)) return unusable(`is a link to a file, and Troupe takes directories and git`);
  const to = join(clonesDir(home), "marketplaces", cloneName(repositoryName(git), git));
  return { dir: to, clone: { source: git, to } };
}

/** Reads a marketplace's own file, in its directory. */
export function readMarketplace(
  dir: string,
): Pick<Marketplace, "name" | "file" | "entries" | "notes"> | NotUsed {
  const file = join(dir, ".claude-plugin", "marketplace.json");
  const read = readRegularFile(file);
  if (read.type === "absent") return { problem: `There is no marketplace in ${dir}: it has no ${file}.` };
  const value = read.type === "read" ? parseJson(read.bytes.toString()) : undefined;
  const [name, plugins] = [valueAt(value, ["name"]), valueAt(value, ["plugins"])];
  if (typeof name !== "string" || !isPlainName(name) || !Array.isArray(plugins)) {
    const why = read.type === "unreadable" ? read.problem : "is not a marketplace";
    return {
      problem: `${file} ${why}: it needs a "name" (letters, digits, "_", "-", ".") and a list "plugins".`,
    };
  }
  const root = valueAt(value, ["metadata", "pluginRoot"]);
  const base = typeof root === "string" ? root : ".";
  const notes: string[] = [];
  const entries = new Map<string, MarketplaceEntry>();
  for (const [at, one] of plugins.entries()) {
    const own = valueAt(one, ["name"]);
    const why = !isObject(one)
      ? "is not an object"
      : typeof own !== "string" || !isPlainName(own)
        ? `has the name ${printable(JSON.stringify(own) ?? "(none)")}, and a name has only letters, digits, "_", "-" and "."`
        : entries.has(own)
          ? `has the name ${own} a second time`
          : null;
    if (why !== null) notes.push(`${file}: plug-in ${at + 1} ${why}; it is left out.`);
    if (why !== null || !isObject(one) || typeof own !== "string") continue;
    const { source, description } = one;
    const path = typeof source === "string" && !source.startsWith("./") ? join(base, source) : source;
    const text = typeof description === "string" ? description : "";
    entries.set(own, { name: own, source: path, description: text, value: one });
  }
  return { name, file, entries: [...entries.values()], notes };
}

/** Finds and reads a marketplace that settings name. */
export function openMarketplace(name: string, search: MarketplaceSearch): Marketplace | NotUsed {
  const said = [search.known, search.proposed].find((one) => Object.hasOwn(one, name));
  if (said === undefined)
    return {
      problem: `There is no marketplace ${printable(name)}; add it with troupe plugin marketplace add PATH|URL.`,
    };
  const place = locateMarketplace(name, valueAt(said[name], ["source"]), search);
  if ("problem" in place) return place;
  const read = readMarketplace(place.dir);
  if ("problem" in read && place.clone !== null)
    return {
      problem: `The marketplace ${printable(name)} is not here; get it with troupe plugin update ${printable(name)}.`,
    };
  return "problem" in read ? read : { ...read, ...place, name };
}

/** Finds a plug-in by `name@marketplace`. */
export function findPlugin(id: string, search: MarketplaceSearch): FoundPlugin | NotUsed {
  const [, name = "", market = ""] = /^([^@]+)@([^@]+)$/.exec(id) ?? [];
  if (name === "") return { problem: `${printable(id)} does not name a plug-in; write NAME@MARKETPLACE.` };
  const marketplace = openMarketplace(market, search);
  if ("problem" in marketplace) return marketplace;
  const one = marketplace.entries.find((entry) => entry.name === name);
  if (one === undefined)
    return { problem: `The marketplace ${printable(market)} has no plug-in ${printable(name)}.` };
  const left = (why: string): NotUsed => ({
    problem: `The plug-in ${printable(id)} ${why}, so it is left out.`,
  });
  const entry = { file: marketplace.file, value: one.value };
  if (typeof one.source === "string") {
    const dir = resolve(marketplace.dir, one.source);
    return isPathInside(dir, marketplace.dir)
      ? { dir, entry, reach: marketplace.dir, marketplace, clone: null }
      : left("is outside its marketplace");
  }
  const source = readGitSource(one.source);
  const kind = valueAt(one.source, ["source"]);
  if (source === null)
    return left(
      kind === "npm"
        ? "is a package of npm, which Troupe does not install (install it yourself, and name its directory with --plugin-dir)"
        : `has a source of a kind not used here (${printable(typeof kind === "string" ? kind : "none")})`,
    );
  if ("problem" in source) return left(`cannot be got: ${source.problem}`);
  const to = join(clonesDir(search.home), "cache", basename(market), cloneName(name, source));
  const below = valueAt(one.source, ["path"]);
  const dir = typeof below === "string" ? resolve(to, below) : to;
  return isPathInside(dir, to)
    ? { dir, entry, reach: to, marketplace, clone: { source, to } }
    : left("is outside its repository");
}
