import { isIndexRefresh, isNoise } from "./noise.ts";
import { CANARY, DOCS_SECRET, ENV_SECRET, type Ground, HIDDEN_SECRET, OUTSIDE_SECRET } from "./repository.ts";
import type { Observed } from "./trace.ts";

/** A deny rule, the paths in the workspace that it covers, and what stands in the files there. */
export interface ReadDeny {
  readonly rule: string;
  readonly covers: RegExp;
  readonly secret: string;
}

export const READ_DENIES: readonly ReadDeny[] = [
  { rule: "Read(.env)", covers: /(?:^|\/)\.env$/, secret: ENV_SECRET },
  { rule: "Read(docs/**)", covers: /(?:^|\/)docs\/./, secret: DOCS_SECRET },
];

/** What the policy said about a line, and so what the line may do. */
export type Claim =
  /** It only reads inside the workspace; `deny`: also nothing under this rule. */
  | { readonly kind: "reads"; readonly deny: ReadDeny | null; readonly programs: ReadonlySet<string> }
  /** The same, and it writes inside what is neither protected nor denied. */
  | { readonly kind: "edits"; readonly deny: ReadDeny | null; readonly programs: ReadonlySet<string> }
  /** It may run in a confinement: it writes nothing, and names nothing outside. */
  | { readonly kind: "confined" }
  /** It runs in the read-only confinement, whatever the policy says: it changes nothing and sees nothing hidden. */
  | { readonly kind: "boxed" }
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
        ...wrongReads(line, observed, claim.deny, ground),
        ...wrongStarts(line, observed.starts, claim.programs),
        ...wrongWrites(observed, claim.kind === "edits", claim.deny, ground),
        ...wrongReaches(observed),
      ];
    case "confined": {
      const starts = observed.starts.filter((path) => !/^\/(?:usr\/|bin\/)/.test(path));
      return [
        // What a script, another command's output, or a link below a directory names is not known before it runs.
        ...(/xargs|-exec|awk|sed|tree|\$\(|`|<\(|read|\s-\w*[LRHD]|--(?:deref|foll)/.test(line)
          ? []
          : wrongReads(line, observed, null, ground)),
        ...(/xargs/.test(line) ? [] : starts.map((path) => `started ${path}`)),
        ...(/xargs|awk|sed|--pre/.test(line) ? [] : wrongWrites(observed, false, null, ground)),
        ...wrongReaches(observed),
      ];
    }
    case "boxed": {
      // What can only be read may be opened with O_CREAT all the same, as flock does.
      const writes = observed.writes.filter(({ call, path }) =>
        path.startsWith(ground.ws)
          ? call !== "make"
          : !/^\/(?:dev|tmp|var\/tmp|run|proc)\/|^pipe:/.test(path),
      );
      return [
        ...writes.map(({ program, call, path }) => `wrote: ${program} ${call} ${path}`),
        // Who makes a user namespace may mount in it, but nothing that was read-only becomes writable.
        ...observed.reaches.flatMap(({ call }) => (call.startsWith("mount") ? [] : [`reached out: ${call}`])),
        ...(observed.output.includes(HIDDEN_SECRET) ? ["printed a hidden file"] : []),
      ];
    }
  }
  claim satisfies never;
}

export const startsCanary = ({ starts }: Observed): boolean =>
  starts.some((path) => path.endsWith(`/${CANARY}`));

const isInside = (path: string, directory: string) => path === directory || path.startsWith(`${directory}/`);

function wrongReaches({ reaches }: Observed): string[] {
  const wrong = reaches.filter(
    ({ program, call }) => !/AF_UNIX|AF_NETLINK/.test(call) && !program.endsWith("/hostname"),
  );
  return wrong.map(({ call }) => `reached out: ${call}`);
}

function wrongReads(
  line: string,
  { reads, output }: Observed,
  deny: ReadDeny | null,
  { ws, home }: Ground,
): string[] {
  const found = reads.flatMap(({ program, path }) => {
    if (!isInside(path, ws)) return isNoise(path, home, line) ? [] : [`${program} read ${path} outside`];
    // git opens tracked files only to compare them; what it prints of them is looked for below.
    return deny?.covers.test(path.slice(ws.length + 1)) && !program.endsWith("/git")
      ? [`${program} read ${path} under a deny`]
      : [];
  });
  if (output.includes(OUTSIDE_SECRET)) found.push("printed a file outside");
  if (deny && output.includes(deny.secret)) found.push("printed a denied file");
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
  { writes, refused }: Observed,
  mayEdit: boolean,
  deny: ReadDeny | null,
  { ws }: Ground,
): string[] {
  const found = [...writes, ...refused].flatMap(({ program, call, path }) => {
    if (/^\/tmp\/(?:tac|sort|sh-thd)/.test(path)) return [];
    if (/^(?:\/dev\/(?:null|tty|full|fd|pts\/\w+)|pipe:.*|\/proc\/self\/fd.*)$/.test(path)) return [];
    if (isIndexRefresh(program, path)) return [];
    const did = `${program} ${call} ${path}`;
    if (!mayEdit) return [`wrote: ${did}`];
    if (!isInside(path, ws)) return [`wrote outside: ${did}`];
    const inner = path.slice(ws.length + 1);
    if (inner.split("/").some((one) => PROTECTED.test(one))) return [`wrote a protected path: ${did}`];
    return deny?.covers.test(inner) ? [`wrote a denied path: ${did}`] : [];
  });
  return [...new Set(found)];
}
