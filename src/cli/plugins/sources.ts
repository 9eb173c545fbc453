import { hash } from "node:crypto";
import { basename } from "node:path";
import { canonicalJson, valueAt } from "../../lib/json.ts";
import { printable } from "../../lib/text.ts";

/** What git gets of a repository. */
export interface GitSource {
  readonly url: string;
  /** A branch or a tag; null is the default branch. */
  readonly ref: string | null;
  /** A commit, by its whole ID; it wins over `ref`. */
  readonly sha: string | null;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Reads `{source: "github" | "git" | "url" | "git-subdir", …}`. Returns null for another kind, or a sentence. */
export function readGitSource(source: unknown): GitSource | { readonly problem: string } | null {
  const kind = valueAt(source, ["source"]);
  const isGitHub = kind === "github";
  if (!isGitHub && kind !== "git" && kind !== "url" && kind !== "git-subdir") return null;
  const text = (key: string): string | null | undefined => {
    const value = valueAt(source, [key]);
    if (value === undefined) return null;
    return typeof value === "string" && value !== "" && !value.startsWith("-") ? value : undefined;
  };
  const [where, ref, sha] = [text(isGitHub ? "repo" : "url"), text("ref"), text("sha")];
  if (typeof where !== "string")
    return { problem: `it has no ${isGitHub ? "repo" : "url"} that git can clone` };
  if (ref === undefined || sha === undefined)
    return { problem: "its ref or sha is not a name of a branch, a tag or a commit" };
  if (sha !== null && !COMMIT.test(sha))
    return { problem: `its sha ${printable(sha)} is not a whole ID of a commit, with 40 digits` };
  if (isGitHub && !isShortName(where))
    return { problem: `its repo ${printable(where)} is not OWNER/REPOSITORY` };
  const url = isShortName(where) ? `https://github.com/${where}.git` : where;
  return ref !== null && sha === null && COMMIT.test(ref) ? { url, ref: null, sha: ref } : { url, ref, sha };
}

/** True for `OWNER/REPOSITORY` on GitHub. */
export function isShortName(text: string): boolean {
  return /^[\w-][\w.-]*\/[\w.-]+$/.test(text);
}

/** Returns a name for its clone. Another address, branch or commit never uses the same one. */
export function cloneName(label: string, source: GitSource): string {
  const digest = hash("sha256", canonicalJson(source));
  return `${label.replace(/[^\w.-]/g, "-").slice(-64)}-${digest.slice(0, 12)}`;
}

/** Returns the last part of an address, as a name. */
export function repositoryName({ url }: GitSource): string {
  return basename(url.replace(/[/\\]+$/, "")).replace(/\.git$/, "") || "repository";
}

/** Formats a source for the user. */
export function gitSourceText({ url, ref, sha }: GitSource): string {
  return printable(`${url}${sha !== null ? ` at ${sha}` : ref !== null ? ` at ${ref}` : ""}`);
}

/** What the organisation's settings say of marketplaces. */
export interface MarketplacePolicy {
  /** Sources of which none is used. */
  readonly blocked: readonly unknown[];
  /** Only these are used; if undefined, all that are not blocked. */
  readonly only: readonly unknown[] | undefined;
  /** The organisation's file, if it could not be read whole: then no marketplace is used. */
  readonly unreadable: string | null;
}

/** Where a marketplace comes from: its `source` in settings, with an absolute `path`. */
export type PolicySource = Readonly<Record<string, unknown>>;

/** Returns why the organisation does not allow a marketplace, after its name, or null. */
export function policyRefusal(source: PolicySource, policy: MarketplacePolicy): string | null {
  if (policy.unreadable !== null)
    return `is not used, because ${policy.unreadable} could not be read whole and may block it`;
  if (policy.blocked.some((pattern) => matches(pattern, source)))
    return "is blocked by your organisation (blockedMarketplaces)";
  if (policy.only !== undefined && !policy.only.some((pattern) => matches(pattern, source)))
    return "is not one that your organisation allows (strictKnownMarketplaces)";
  return null;
}

/** True if every key of the pattern says the same as the source. Forms of one address are equal. */
function matches(pattern: unknown, source: PolicySource): boolean {
  const text = (of: unknown, key: string) => {
    const value = valueAt(of, [key]);
    return typeof value === "string" ? value : null;
  };
  const address = addressOf(source);
  const pathOf = (of: unknown) => text(of, "path")?.replace(/(?<=.)\/+$/, "") ?? null;
  const path = pathOf(source);
  switch (text(pattern, "source")) {
    case "hostPattern":
      return address !== null && isMatch(text(pattern, "hostPattern"), address.split("/", 1)[0] ?? "");
    case "pathPattern":
      return address === null && isMatch(text(pattern, "pathPattern"), path ?? "");
    case "github":
    case "git":
    case "url": {
      const isSame = (key: string) => text(pattern, key) === null || text(pattern, key) === text(source, key);
      const wanted = addressOf(pattern);
      return wanted !== null && wanted === address && isSame("ref") && isSame("path");
    }
    default:
      return address === null && path !== null && pathOf(pattern) === path;
  }
}

function isMatch(pattern: string | null, text: string): boolean {
  return pattern !== null && new RegExp(pattern).test(text);
}

/** Returns the address of a repository as `host/path`, or null: many forms name one repository. */
function addressOf(source: unknown): string | null {
  const at = (key: string) => valueAt(source, [key]);
  const given = at("source") === "github" ? at("repo") : at("url");
  if (typeof given !== "string") return null;
  const whole = isShortName(given) ? `https://github.com/${given}` : given;
  return whole
    .replace(/^[a-z][\w+.-]*:\/\//i, "")
    .replace(/^[^@/]*@/, "")
    .replace(/^([^/:]+):(?:\d+(?=\/)|(?!\/))/, "$1/")
    .replace(/\/{2,}/g, "/")
    .replace(/(?:\.git)?\/*$/i, "")
    .toLowerCase();
}
