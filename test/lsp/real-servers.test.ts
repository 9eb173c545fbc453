import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { findLanguageServers } from "../../src/lsp/find-servers.ts";
import { openLanguages } from "../../src/lsp/open-languages.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import type { LanguageQuestion } from "../../src/tools/lsp.ts";
import { temporaryFolder } from "../support/temporary.ts";

const packages = fileURLToPath(new URL("../../node_modules", import.meta.url));
const older = fileURLToPath(new URL("../fixtures/typescript-6/node_modules/typescript", import.meta.url));

const typescript = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "module": "nodenext", "types": [] } }',
  "package.json": '{ "type": "module" }',
  "shape.ts": [
    "/** What has an area. */",
    "export interface Shape { area(): number }",
    "export class Square implements Shape {",
    "  area(): number { return side() ** 2; }",
    "}",
    "export function side(): number { return 2; }",
    "",
  ].join("\n"),
  "main.ts": [
    'import { Square } from "./shape.js";',
    'export const label = "🎭"; const square = new Square();',
    "export const total = square.area();",
    "",
  ].join("\n"),
};

const python = {
  "pyproject.toml": "",
  "shape.py":
    'def side() -> int:\n    """Two."""\n    return 2\n\ndef area() -> int:\n    return side() ** 2\n',
  "main.py": "from shape import area\n\ntotal = area()\n",
};

/** A project with these packages of npm, by name with where they are. */
async function project(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>>) {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(root, "node_modules", path)), { recursive: true });
    symlinkSync(target, join(root, "node_modules", path));
  }
  const { servers, unserved } = await findLanguageServers({ root, path: "", setting: {} });
  const processes = startProcesses({ env: { PATH: process.env["PATH"] } });
  let ids = 0;
  const opened = openLanguages({
    ...{ servers, unserved, processes, clock: systemClock, pid: process.pid, newId: () => `r${ids++}` },
    ...{ rootOf: () => root, sightOf: () => () => "text" as const },
  });
  onTestFinished(async () => {
    await opened.servers.close();
    await processes.close();
  });
  const signal = new AbortController().signal;
  return {
    root,
    names: servers.map(({ name }) => name),
    problems: opened.problems,
    async ask(
      operation: LanguageQuestion["operation"],
      file: string,
      line = 1,
      character = 1,
      query: string | null = null,
    ) {
      const question = { operation, file: join(root, file), line, character, query };
      const answer = await opened.service.ask(question, { actor: MAIN, cwd: root, signal });
      return answer.type === "found" ? answer.text : `FAILED ${answer.message}`;
    },
  };
}

const typescripts = [
  [
    "typescript-language-server 6.0.2",
    "typescript-language-server",
    {
      typescript: older,
      ".bin/typescript-language-server": join(packages, "typescript-language-server/lib/cli.mjs"),
    },
  ],
  [
    "TypeScript 7",
    "tsc",
    { typescript: join(packages, "typescript"), ".bin/tsc": join(packages, "typescript/bin/tsc") },
  ],
] as const;

test.for(typescripts)(
  "the real server of TypeScript answers every operation: %s (A3.27)",
  { tags: ["long"] },
  async ([, name, links]) => {
    const { ask, names, root, problems: newErrors } = await project(typescript, links);
    expect(names).toEqual([name]);
    // Behind a sign of two units.
    expect(await ask("goToDefinition", "main.ts", 2, 46)).toContain("shape.ts:3:14  export class Square");
    expect(await ask("hover", "main.ts", 3, 14)).toContain("const total: number");
    const uses = await ask("findReferences", "shape.ts", 6, 17);
    expect(uses).toContain("shape.ts:4:27");
    expect(uses).toContain("shape.ts:6:17");
    expect(await ask("goToImplementation", "shape.ts", 2, 18)).toContain("shape.ts:3:14");
    expect(await ask("documentSymbol", "shape.ts")).toMatch(/class Square {2}3:14\n {2}method area {2}4:3/);
    expect(await ask("workspaceSymbol", "main.ts", 1, 1, "Square")).toContain("class Square");
    expect(await ask("prepareCallHierarchy", "shape.ts", 6, 17)).toContain("function side  shape.ts:6:17");
    expect(await ask("incomingCalls", "shape.ts", 6, 17)).toContain("from method area  shape.ts:4:27");
    expect(await ask("outgoingCalls", "shape.ts", 4, 3)).toContain("to function side  shape.ts:6:17");
    expect(await ask("diagnostics", "main.ts")).toBe(`${name} finds no problems in this file.`);

    writeFileSync(
      join(root, "main.ts"),
      `${typescript["main.ts"]}const wrong: string = total;\nexport { wrong };\n`,
    );
    const problems = await newErrors(
      [join(root, "main.ts")],
      { root, cwd: root },
      new AbortController().signal,
    );
    expect(problems ?? (await ask("diagnostics", "main.ts"))).toContain(
      "main.ts:4:7  error: Type 'number' is not assignable to type 'string'.",
    );
    writeFileSync(join(root, "shape.ts"), `// one line more\n${typescript["shape.ts"]}`);
    expect(await ask("goToDefinition", "main.ts", 2, 46)).toContain("shape.ts:4:14  export class Square");
  },
);

test("the real server of Python answers, and sees what is written (A3.27)", { tags: ["long"] }, async () => {
  const { ask, names, root } = await project(python, {
    ".bin/pyright-langserver": join(packages, "pyright/langserver.index.js"),
  });
  expect(names).toEqual(["pyright-langserver"]);
  expect(await ask("goToDefinition", "main.py", 3, 9)).toBe("shape.py:5:5  def area() -> int:");
  expect(await ask("hover", "main.py", 3, 9)).toContain("def area() -> int");
  expect(await ask("findReferences", "shape.py", 1, 5)).toContain("shape.py:6:12  return side() ** 2");
  expect(await ask("documentSymbol", "shape.py")).toContain("function area  5:5");
  expect(await ask("incomingCalls", "shape.py", 1, 5)).toContain("from function area  shape.py:6:12");
  expect(await ask("goToImplementation", "main.py", 3, 9)).toContain("cannot do goToImplementation");
  expect(await ask("diagnostics", "main.py")).toContain("finds no problems");
  writeFileSync(join(root, "main.py"), "from shape import area\n\ntotal: str = area()\n");
  expect(await ask("diagnostics", "main.py")).toMatch(/main\.py:3:14 {2}error: Type "int" is not assignable/);
});
