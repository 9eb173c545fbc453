import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DecisionContext, Mode } from "../../../src/policy/index.ts";
import { type Call, decideIn, makePlace, type Place, removePlace, rulesOf } from "./workspace.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
  mkdirSync(join(place.home, "real-secrets"));
  writeFileSync(join(place.home, "real-secrets", "k"), "x");
  symlinkSync(join(place.home, "real-secrets"), join(place.home, "secrets"));
  symlinkSync("circle", join(place.project, "circle"));
});
afterAll(() => removePlace(place));

type Row = readonly [rules: string, call: Call, expected: string, mode?: Mode, ctx?: DecisionContext];

const read = (path: string): Call => ["Read", { file_path: path }];
const edit = (path: string): Call => ["Edit", { file_path: path, old_string: "a", new_string: "b" }];
const write = (path: string): Call => ["Write", { file_path: path, content: "" }];
const notebook = (path: string): Call => ["NotebookEdit", { notebook_path: path, new_source: "" }];
const glob = (pattern: string, path?: string): Call => [
  "Glob",
  path === undefined ? { pattern } : { pattern, path },
];
const grep = (pattern: string, path?: string, filter?: string): Call => [
  "Grep",
  { pattern, ...(path === undefined ? {} : { path }), ...(filter === undefined ? {} : { glob: filter }) },
];

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    const cases = rows.map(([rules, [tool, input], expected, mode = "default", ctx = {}]) => ({
      ...{ rules, tool, input, expected, mode, ctx },
      shown: JSON.stringify(input),
    }));
    test.each(cases)(
      "[$rules] $tool $shown: $expected ($mode)",
      ({ rules, tool, input, expected, mode, ctx }) => {
        expect(decideIn(place, rulesOf(rules), mode, tool, input, ctx)).toBe(expected);
      },
    );
  });
}

const MODES: readonly Mode[] = ["default", "acceptEdits", "plan", "bypassPermissions", "bypass", "dontAsk"];
function perMode(call: Call, expected: string): Row[] {
  return expected.split(" ").map((one, at): Row => ["", call, one, MODES[at] ?? "default"]);
}

table(
  "3 the modes' defaults",
  [
    ...perMode(read("src/a.ts"), "allow allow allow allow allow allow"),
    ...perMode(glob("**/*.ts"), "allow allow allow allow allow allow"),
    ...perMode(grep("x"), "allow allow allow allow allow allow"),
    ...perMode(read("@OUT/secret"), "ask ask ask allow allow deny"),
    ...perMode(glob("*", "@OUT"), "ask ask ask allow allow deny"),
    ...perMode(grep("x", "@OUT"), "ask ask ask allow allow deny"),
    ...perMode(edit("src/a.ts"), "ask allow deny allow allow deny"),
    ...perMode(write("docs/new.md"), "ask allow deny allow allow deny"),
    ...perMode(notebook("a.ipynb"), "ask allow deny allow allow deny"),
    ...perMode(edit("@OUT/secret"), "ask ask deny allow allow deny"),
    ...perMode(write(".git/config"), "ask ask deny allow allow deny"),
    ...perMode(["WebFetch", { url: "https://example.com" }], "ask ask ask allow allow deny"),
    ...perMode(["WebSearch", { query: "x" }], "ask ask ask allow allow deny"),
    ...perMode(["mcp__s__t", {}], "ask ask ask allow allow deny"),
    ...perMode(["Unknown", {}], "ask ask ask allow allow deny"),
    ...[
      "Agent",
      "TodoWrite",
      "TaskCreate",
      "TaskOutput",
      "TaskStop",
      "Monitor",
      "Skill",
      "ToolSearch",
      "SendMessage",
      "ListAgents",
      "AskUserQuestion",
      "EnterPlanMode",
      "CronCreate",
      "ScheduleWakeup",
      "ListMcpResources",
    ].flatMap((tool) => perMode([tool, {}], "allow allow allow allow allow allow")),
    ...perMode(["ExitPlanMode", { plan: "x" }], "ask ask ask ask ask deny"),
    ...perMode(["EnterWorktree", {}], "allow allow ask allow allow allow"),
    ...perMode(["ExitWorktree", { action: "keep" }], "allow allow ask allow allow allow"),
    ...perMode(["ExitWorktree", { action: "remove" }], "ask ask ask allow allow deny"),
    ...perMode(["ReadMcpResource", {}], "ask ask ask allow allow deny"),
    ["", read("@OUT/secret"), "allow", "default", { additionalDirs: ["@OUT"] }],
    ["allow ExitPlanMode", ["ExitPlanMode", {}], "ask"],
  ]
    .map((row) => row as Row)
    .filter(([, , , , ctx]) => ctx === undefined),
);

table("1 the order", [
  ["deny Read(src/**) ;; allow Read ;; ask Read", read("src/a.ts"), "deny"],
  ["deny Read(src/**)", read("src/a.ts"), "deny", "bypass"],
  ["deny Read", read("src/a.ts"), "deny"],
  ["ask Read(src/**) ;; allow Read(src/a.ts)", read("src/a.ts"), "ask"],
  ["ask Read(src/**)", read("src/a.ts"), "ask", "bypass"],
  ["ask Edit(src/**)", edit("src/a.ts"), "ask", "acceptEdits"],
  ["allow Edit", edit("a.ts"), "deny", "plan"],
  ["allow Edit", write(".husky/x"), "ask"],
  ["allow Edit(.husky/**)", write(".husky/commit-msg"), "ask", "acceptEdits"],
  ["allow Edit", edit("a.ts"), "allow"],
  ["deny *", ["Agent", {}], "deny", "bypass"],
  ["deny mcp__*", ["mcp__s__t", {}], "deny"],
  ["allow mcp__*", ["mcp__s__t", {}], "ask"],
  ["ask Bash", ["Bash", { command: "ls" }], "ask"],
]);

table("1 malformed input is never allowed", [
  ...(
    [
      null,
      undefined,
      "x",
      [],
      {},
      { command: 1 },
      { command: "ls\0" },
      { command: "ls \ud800" },
      { command: "ls", description: "\0" },
    ] as const
  ).map((input): Row => ["allow Bash", ["Bash", input], "ask", "bypass"]),
  ["", ["Read", { path: "a" }], "ask"],
  ["", ["Read", { file_path: 1 }], "ask"],
  ["", ["Read", { file_path: "a\0" }], "ask"],
  ["", ["Glob", { pattern: "*", path: 1 }], "ask"],
  ["", ["Glob", {}], "ask"],
  ["", ["Grep", { pattern: "x", glob: {} }], "ask"],
  ["", ["Agent", { prompt: ["\0"] }], "ask"],
  ["deny Bash", ["Bash", {}], "deny"],
  ["", ["WebFetch", {}], "ask"],
]);

table("a link that leads back to itself is a path like others: the engine does not fail", [
  ["allow Bash(cp *)", ["Bash", { command: "cp a.txt circle" }], "allow"],
  ["deny Bash(mv *)", ["Bash", { command: "mv a.txt circle/" }], "deny"],
]);

table("2 how rules are written", [
  ["allow Read(*)", read("@OUT/secret"), "allow"],
  ["allow Read", read("@OUT/secret"), "allow"],
  ["allow read", read("@OUT/secret"), "ask"],
  ["allow Read(", read("@OUT/secret"), "ask"],
  ["allow Read()", read("@OUT/secret"), "ask"],
  ["deny Read(offset:5)", ["Read", { file_path: "a", offset: 5 }], "deny"],
  ["deny Read(offset: 5)", ["Read", { file_path: "a", offset: 5 }], "deny"],
  ["deny Read(offset:5)", ["Read", { file_path: "a" }], "allow"],
  ["deny Read(file_path:*)", read("a"), "allow"],
  ["deny Bash(run_in_background: true)", ["Bash", { command: "ls", run_in_background: true }], "deny"],
  ["ask Bash(run_in_background:*)", ["Bash", { command: "ls", run_in_background: false }], "ask"],
  ["deny Bash(run_in_background:true)", ["Bash", { command: "ls" }], "allow"],
  ["allow WebSearch(query:x)", ["WebSearch", { query: "x" }], "ask"],
  ["deny mcp__db__run(mode:w*)", ["mcp__db__run", { mode: "write" }], "deny"],
  ["allow mcp__db__run(mode:read)", ["mcp__db__run", { mode: "read" }], "ask"],
  ["deny Agent(model:opus)", ["Agent", { model: "opus" }], "deny"],
]);

table("4.1 and 4.2 every candidate counts", [
  ["", read("@PROJ/src/a.ts"), "allow"],
  ["", read("./src//a.ts/"), "allow"],
  ["", read("src/../src/a.ts"), "allow"],
  ["", read("missing/new.ts"), "allow"],
  ["", read("../proj/src/a.ts"), "allow"],
  ["", read("../proj2/a.ts"), "ask"],
  ["", read("@PROJ2/a.ts"), "ask"],
  ["", read("~/x"), "ask"],
  ["", read("secret-link"), "ask"],
  ["", read("out-link/x"), "ask"],
  ["", read("out-link/../x"), "ask"],
  ["", read("dangling"), "ask"],
  ["", read("ref-link/../../x"), "ask"],
  ["allow Read(~/ref/**)", read("ref-link/../../x"), "ask"],
  ["allow Read(~/ref/**)", read("~/ref/x"), "allow"],
  ["allow Read(~/ref/**)", read("@HOME/ref/x"), "allow"],
  ["allow Read(~/ref/**)", read("@HOME/ref2/x"), "ask"],
  ["allow Read(~/ref/**)", read("ref-link/x"), "allow"],
  ["", edit("out-link/x"), "ask", "acceptEdits"],
  ["", write("dangling"), "ask", "acceptEdits"],
  ["deny Read(//@OUT/**)", read("secret-link"), "deny"],
  ["deny Read(~/secrets/**)", read("@HOME/real-secrets/k"), "deny"],
  ["", read(""), "ask"],
  ["allow Read", read(""), "ask"],
  ...[
    "\\\\server\\x",
    "//server/x",
    "C:\\x",
    "c:/x",
    "\\\\?\\x",
    "/proc/self/root/etc/passwd",
    "/proc/1/cwd/x",
    "file:///etc/passwd",
    "https://x/y",
  ].map((path): Row => ["allow Read", read(path), "ask"]),
  ["allow Read", read("\\\\server\\x"), "allow", "bypass"],
]);

table("4.2 on darwin deny ignores case and normalisation", [
  ["deny Read(Private/**)", read("private/k"), "allow"],
  ["deny Read(Private/**)", read("private/k"), "deny", "default", { platform: "darwin" }],
  ["deny Read(caf\u00e9.txt)", read("cafe\u0301.txt"), "deny", "default", { platform: "darwin" }],
  ["allow Read(//@OUT/SECRET)", read("@OUT/secret"), "ask", "default", { platform: "darwin" }],
]);

table("4.3 patterns", [
  ["deny Read(.env)", read(".env"), "deny"],
  ["deny Read(.env)", read("a/b/.env"), "deny"],
  ["deny Read(.env)", read(".env.local"), "allow"],
  ["deny Read(.env*)", read("a/.env.local"), "deny"],
  ["deny Read(**/.env)", read("a/.env"), "deny"],
  ["deny Read(./.env)", read("a/.env"), "allow"],
  ["deny Read(./.env)", read(".env"), "deny"],
  ["deny Read(.env)", read("@OUT/.env"), "ask"],
  ["deny Read(private/**)", read("lib/private/k"), "deny"],
  ["deny Read(private/**)", read("private/a/b"), "deny"],
  ["deny Read(private/**)", read("alias/k"), "deny"],
  ["deny Read(private/**)", read("private2/k"), "allow"],
  ["deny Read(lib/private/**)", read("private/k"), "allow"],
  ["deny Read(lib/private/**)", read("x/lib/private/k"), "allow"],
  ["deny Read(src)", read("src/a.ts"), "deny"],
  ["deny Read(src/*.ts)", read("src/a.ts"), "deny"],
  ["deny Read(src/*.ts)", read("src/x/a.ts"), "allow"],
  ["deny Read(src/**/a.ts)", read("src/a.ts"), "deny"],
  ["deny Read(src/**/a.ts)", read("src/x/y/a.ts"), "deny"],
  ["deny Read(//@PROJ/src/**)", read("src/a.ts"), "deny"],
  ["deny Read(/src/**)", read("src/a.ts"), "deny"],
  ["deny Write(/etc/**)", write("/etc/hosts"), "deny"],
  ["deny Read(~/.ssh/**)", read("~/.ssh/id"), "deny"],
  ["deny Read(~/.ssh)", read("~/.ssh/id"), "deny"],
  ["deny Read(*.{pem,key})", read("a/x.key"), "deny"],
  ["deny Read(../x)", read("../x"), "ask"],
  ["allow Edit(docs/**)", edit("docs/a.md"), "allow"],
  ["allow Edit(docs/**)", edit("lib/docs/a.md"), "ask"],
  ["allow Edit(*.md)", edit("lib/docs/a.md"), "allow"],
  ["allow Edit(/docs/**)", edit("docs/a.md"), "allow"],
  ["allow Edit(/etc/**)", edit("/etc/hosts"), "ask"],
  ["allow Edit(//@OUT/**)", edit("@OUT/x"), "allow"],
  ["allow Edit(src/[ab].ts)", edit("src/a.ts"), "allow"],
  ["allow Edit(src/[!a].ts)", edit("src/a.ts"), "ask"],
  ["allow Edit(src/?.ts)", edit("src/a.ts"), "allow"],
  ["allow Edit(**)", edit("src/a.ts"), "allow"],
  ["allow Edit(**)", edit("@OUT/x"), "ask"],
]);

table("4.4 protected paths", [
  ...[
    ".git/config",
    "x/.git/hooks/a",
    ".vscode/tasks.json",
    ".idea/x",
    ".husky/x",
    ".cargo/config.toml",
    ".devcontainer/x",
    ".yarn/x",
    ".mvn/x",
    ".config/git/config",
    ".claude/settings.json",
    ".claude/worktrees",
    ".gitconfig",
    ".bashrc",
    "a/.npmrc",
    ".mcp.json",
    ".claude.json",
    "gradle-wrapper.properties",
    ".GIT/config",
    ".git./config",
    ".git /x",
    "~/.bashrc",
    "lefthook.yml",
  ].map((path): Row => ["allow Edit", write(path), "ask", "acceptEdits"]),
  ...[".claude/worktrees/w/a.ts", ".gitignore", ".github/workflows/ci.yml", "src/.bashrc.d/x"].map(
    (path): Row => ["", write(path), "allow", "acceptEdits"],
  ),
  ["", write(".claude/worktrees/w/.git/config"), "ask", "acceptEdits"],
  ["", write(".agents/x"), "ask", "acceptEdits", { configDir: ".agents" }],
  ["", write("sub/.Agents/x"), "ask", "acceptEdits", { configDir: ".agents" }],
  ["", write(".agents/worktrees/w/x"), "allow", "acceptEdits", { configDir: ".agents" }],
  ["", read(".git/config"), "allow"],
]);

table("4.5 families", [
  ["deny Read(src/**)", edit("src/a.ts"), "deny"],
  ["deny Read(src/**)", write("src/a.ts"), "deny"],
  ["deny Read(src/**)", notebook("src/a.ipynb"), "deny"],
  ["deny Read(src/**)", glob("*", "src"), "deny"],
  ["deny Read(src/**)", grep("x", "src"), "deny"],
  ["deny Read(src/**)", grep("x", "src/a.ts"), "deny"],
  ["deny Read(src/**)", glob("**"), "allow"],
  ["ask Read(src/**)", edit("src/a.ts"), "allow", "acceptEdits"],
  ["allow Read(//@OUT/**)", glob("*", "@OUT"), "allow"],
  ["allow Read(//@OUT/**)", grep("x", "@OUT/secret"), "allow"],
  ["allow Read(//@OUT/**)", edit("@OUT/secret"), "ask"],
  ["allow Edit(src/**)", write("src/a.ts"), "allow"],
  ["allow Edit(src/**)", notebook("src/a.ipynb"), "allow"],
  ["allow Write(src/**)", write("src/a.ts"), "allow"],
  ["allow Write(src/**)", edit("src/a.ts"), "ask"],
  ["allow NotebookEdit(src/**)", write("src/a.ts"), "ask"],
  ["deny Write(src/**)", edit("src/a.ts"), "deny", "acceptEdits"],
  ["deny NotebookEdit(src/**)", write("src/a.ts"), "deny", "acceptEdits"],
  ["deny MultiEdit(src/**)", edit("src/a.ts"), "deny", "acceptEdits"],
  ["ask Write(src/**)", edit("src/a.ts"), "ask", "acceptEdits"],
  ["deny Write", edit("src/a.ts"), "deny", "acceptEdits"],
  ...["/etc/*", "~/*", "../*", "src/../../x", "{a,../b}/*", "{/etc,src}/*", "{~,src}/*"].map(
    (pattern): Row => ["", glob(pattern), "ask"],
  ),
  ...["/etc/*", "../*", "{a,../b}"].map((filter): Row => ["", grep("x", undefined, filter), "ask"]),
  ["", grep("/api/../x"), "allow"],
  ["", glob("out-link/*"), "ask"],
  ["", glob("src/**/*.{ts,js}"), "allow"],
  ["", glob("a..b/*"), "allow"],
  ["allow Read", glob("/etc/*"), "allow"],
]);

describe("relative to the working directory and the project root", () => {
  test("the project root belongs to the workspace, and /p begins there", () => {
    const inSub = { ...place, project: join(place.project, "src") };
    const ctx = { projectRoot: place.project };
    expect(decideIn(inSub, {}, "default", "Read", { file_path: "../docs/x" }, ctx)).toBe("allow");
    expect(
      decideIn(inSub, { deny: ["Read(/docs/**)"] }, "default", "Read", { file_path: "../docs/x" }, ctx),
    ).toBe("deny");
    expect(
      decideIn(inSub, { deny: ["Read(./docs/**)"] }, "default", "Read", { file_path: "../docs/x" }, ctx),
    ).toBe("allow");
  });

  test("additional folders belong to the workspace", () => {
    const ctx = { additionalDirs: [place.outside] };
    expect(decideIn(place, {}, "default", "Read", { file_path: join(place.outside, "secret") }, ctx)).toBe(
      "allow",
    );
    expect(decideIn(place, {}, "acceptEdits", "Write", { file_path: join(place.outside, "n") }, ctx)).toBe(
      "allow",
    );
  });
});
