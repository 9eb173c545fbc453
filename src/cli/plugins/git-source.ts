import { hash } from "node:crypto";
import { basename } from "node:path";
import { canonicalJson, valueAt } from "../../lib/json.ts";
import { printable } from "../../lib/printable.ts";

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
