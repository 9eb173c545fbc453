import { isIndexRefresh, isNoise } from "./noise.ts";
import { CANARY, DENIED_SECRET, type Ground, OUTSIDE_SECRET } from "./repository.ts";
import type { Observed } from "./trace.ts";

/** What the policy said about a line, and so what the line may do. */
export type Claim =
  /** It only reads inside the workspace; `denied`: also nothing under `deny Read(.env)`. */
  | { readonly kind: "reads"; readonly denied: boolean; readonly programs: ReadonlySet<string> }
  /** The same, and it writes inside what is neither protected nor denied. */
  | { readonly kind: "edits"; readonly denied: boolean; readonly programs: ReadonlySet<string> }
  /** It may start the canary only if a deny rule saw it. */
  | { readonly kind: "starts"; readonly denied: boolean };

/** Permission semantics §4.4. */
const PROTECTED = new RegExp(
  `^(?:${[
    String.raw`\.git|\.vscode|\.idea|\.husky|\.cargo|\.devcontainer|\.yarn|\.mvn|\.claude|\.gitconfig|\.gitmodules`,
    String.raw`\.bashrc|\.bash_(?:profile|login|aliases|logout)|\.z(?:shrc|profile|shenv|login|logout)|\.profile|\.envrc`,
    String.raw`\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\.cjs|\.pnp\.loader\.mjs|\.pnpmfile\.cjs|\.?bunfig\.toml|\.bazel(?:rc|version|iskrc)`,
    String.raw`\.pre-commit-config\.yaml|\.?lefthook\.ya?ml|(?:gradle|maven)-wrapper\.properties|\.devcontainer\.json`,
    String.raw`\.ripgreprc|pyrightconfig\.json|\.mcp\.json|\.claude\.json`,
  ].join("|")})[. ]*$`,
  "i",
);

/** Returns what a line did that the claim rules out; empty if the two agree. */
export function differences(line: string, observed: Observed, claim: Claim, ground: Ground): string[] {
  switch (claim.kind) {
    case "starts":
      return !claim.denied && startsCanary(observed) ? ["started the canary"] : [];
    case "reads":
    case "edits":
      return [
        ...wrongReads(line, observed, claim.denied, ground),
        ...wrongStarts(line, observed.starts, claim.programs),
        ...wrongWrites(observed, claim, ground),
        ...observed.reaches
          .filter(({ program, call }) => !/AF_UNIX|AF_NETLINK/.test(call) && !program.endsWith("/hostname"))
          .map(({ call }) => `reached out: ${call}`),
      ];
  }
  claim satisfies never;
}

export const startsCanary = ({ starts }: Observed): boolean =>
  starts.some((path) => path.endsWith(`/${CANARY}`));

const isInside = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`);
const isDenied = (path: string) => /(?:^|\/)\.env$/.test(path);

function wrongReads(
  line: string,
  { reads, output }: Observed,
  denied: boolean,
  { ws, home }: Ground,
): string[] {
  const found = reads.flatMap(({ program, path }) => {
    if (!isInside(path, ws)) return isNoise(path, home, line) ? [] : [`${program} read ${path} outside`];
    // git opens tracked files only to compare them; what it prints of them is looked for below.
    return denied && !program.endsWith("/git") && isDenied(path)
      ? [`${program} read ${path} under a deny`]
      : [];
  });
  if (output.includes(OUTSIDE_SECRET)) found.push("printed a file outside");
  if (denied && output.includes(DENIED_SECRET)) found.push("printed a denied file");
  return [...new Set(found)];
}

/** Programs that these start by themselves. */
const STARTED_BY: Readonly<Record<string, string>> = { egrep: "grep", fgrep: "grep" };

function wrongStarts(line: string, starts: readonly string[], programs: ReadonlySet<string>): string[] {
  const words = new Set(line.replaceAll(/["'\\]/g, "").split(/[^\w.[+-]+/));
  for (const word of [...words]) words.add(STARTED_BY[word] ?? word);
  return starts.flatMap((path) => {
    const [, name = ""] = /^\/(?:usr\/)?(?:local\/)?(?:bin|lib\/git-core)\/([^/]+)$/.exec(path) ?? [];
    return words.has(name) && programs.has(name) ? [] : [`started ${path}`];
  });
}

function wrongWrites(
  { writes }: Observed,
  claim: { kind: string; denied: boolean },
  { ws }: Ground,
): string[] {
  const found = writes.flatMap(({ program, call, path }) => {
    if (/^(?:\/dev\/(?:null|tty|full|fd|pts\/\w+)|pipe:.*|\/proc\/self\/fd.*)$/.test(path)) return [];
    if (isIndexRefresh(program, path)) return [];
    const did = `${program} ${call} ${path}`;
    if (claim.kind === "reads") return [`wrote: ${did}`];
    if (!isInside(path, ws)) return [`wrote outside: ${did}`];
    const inner = path.slice(ws.length + 1);
    if (inner.split("/").some((one) => PROTECTED.test(one))) return [`wrote a protected path: ${did}`];
    return claim.denied && isDenied(path) ? [`wrote a denied path: ${did}`] : [];
  });
  return [...new Set(found)];
}
