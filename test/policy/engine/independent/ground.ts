import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DecisionContext, Judged, Mode, PermissionRules } from "../../../../src/policy/index.ts";

/** A command of Bash, or a tool with its input. */
export type Call = string | readonly [tool: string, input: unknown];

/**
 * Calls that share rules, mode and place. In every text `@ws`, `@out`, `@home`, `@extra` and `@root` stand for the
 * folders of the ground. `not`: asked about or denied, the text leaves open which.
 */
export interface Group {
  readonly about: string;
  readonly rules?: PermissionRules;
  readonly mode?: Mode;
  /** The current directory; `@ws` unless said. */
  readonly at?: string;
  readonly ctx?: DecisionContext;
  /** The PATH of the process; the system's and `@root/bin` unless given. */
  readonly searchPath?: string;
  /** What every allow of the group rests on. */
  readonly tier?: Judged["tier"];
  readonly allow?: readonly Call[];
  readonly ask?: readonly Call[];
  readonly deny?: readonly Call[];
  readonly not?: readonly Call[];
}

const files = [
  "ws/src/a.ts",
  "ws/src/b.ts",
  "ws/src/deep/c.ts",
  "ws/lib/private/k",
  "ws/private/k",
  "ws/docs/x.md",
  "ws/sub/.env",
  "ws/sub/docs/x.md",
  "ws/build/out.js",
  "ws/README.md",
  "ws/a",
  "ws/package.json",
  "ws/.env",
  "ws/.git/HEAD",
  "ws/.git/objects/x",
  "ws/.git/refs/x",
  "ws/.git/config",
  "ws/.husky/pre-commit",
  "ws/.claude/worktrees/one/f.ts",
  "ws/café/x",
  "ws/bare/HEAD",
  "ws/odd/HEAD",
  "ws/odd/commondir",
  "ws/odd/pkg/x",
  "ws/bare/objects/x",
  "ws/bare/refs/x",
  "ws/hostile/--pre=sh",
  "ws/hostile/--files0-from=list",
  "ws/hostile/-R",
  "ws/hostile/-c",
  "ws/hostile/-o",
  "ws/hostile/-delete",
  "ws/hostile/a --pre=.sh b.md",
  "ws/hostile/list",
  "ws/hostile/x.md",
  "ws/nested/pkg/.npmrc",
  "ws/nested/.git/config",
  "ws/d/.npmrc",
  "ws/d/x",
  "ws/linked/f",
  "ws/keys/a.pem",
  "ws/tools/jq",
  "ws-other/x",
  "README.md",
  "out/secret.txt",
  "out/.env",
  "out/dir/f",
  "extra/f",
  "home/.ssh/id_rsa",
  "home/.bashrc",
  "home/ref/f",
  "home/ref/deep/f",
  "bare/HEAD",
  "bare/objects/x",
  "bare/refs/x",
];

/** Programs of the enforced tier, for a machine that does not have them; `bin` is last on the PATH of the cases. */
const programs =
  "awk jq yq sed tac fold fmt expand pr shuf numfmt base64 zcat bc env printenv nproc free groups getconf rg tree file xxd column hexdump strings git node npm npx pnpm yarn bun deno tsc python python3 pip ruby gem go cargo rustc java javac mvn gradle dotnet php composer make cmake gcc g++ clang docker kubectl".split(
    " ",
  );

/** Link, and what it says. */
const links = [
  ["ws/linked/out", "../../out"],
  ["link-tools", "ws/tools"],
  ["ws/link-out", "../out"],
  ["ws/link-secret", "../out/secret.txt"],
  ["ws/link-in", "src"],
  ["ws/link-deep", "src/deep"],
  ["ws/link-env", ".env"],
  ["ws/link-husky", ".husky"],
  ["ws/link-root", "/"],
  ["ws/dangling-out", "../out/missing"],
  ["ws/dangling-in", "src/missing.ts"],
  ["ws/dangling-up", "link-out/../missing"],
  ["ws/dangling-far", "dangling-up"],
  ["ws/circle", "circle"],
  ["ws/circle-wide", "circle-wide/../circle-wide/../circle-wide"],
  ["ws/ref-link", "../home/ref/deep"],
] as const;

export interface Ground {
  /** The same value with the directorys' names in place. */
  readonly said: <T>(value: T) => T;
  readonly remove: () => void;
}

export function layGround(): Ground {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "independent-")));
  for (const file of [...files, ...Array.from({ length: 1_001 }, (_, at) => `ws/many/f${at}`)]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  mkdirSync(join(root, "bin"));
  for (const program of [...programs.map((name) => `bin/${name}`), "ws/tools/jq"])
    writeFileSync(join(root, program), "#!/bin/sh\n", { mode: 0o755 });
  chmodSync(join(root, "ws/tools/jq"), 0o755);
  for (const [link, target] of links) symlinkSync(target, join(root, link));
  return {
    said: (value) => inPlace(value, root) as typeof value,
    remove: () => rmSync(root, { recursive: true }),
  };
}

function inPlace(value: unknown, root: string): unknown {
  if (typeof value === "string") {
    return value
      .replaceAll("@root", root)
      .replace(/@(ws|out|home|extra|bare)\b/gu, (_, name) => join(root, String(name)));
  }
  if (Array.isArray(value)) return value.map((each) => inPlace(each, root));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inPlace(each, root)]));
}
