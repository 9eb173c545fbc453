// @module-tag long
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { toy } from "./toy.ts";

const uri = (path: string) => pathToFileURL(path).href;
const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

test("places are counted from 1 in characters as people count them (A3.27)", async () => {
  const { ask, said } = toy("well", { files: { "a.toy": 'const 🎭é = "🎭🎭" + name;\n' } });
  // `name` is the 18th character.
  const answer = await ask({ operation: "goToDefinition", line: 1, character: 18 });
  expect(answer).toEqual({ type: "found", text: 'a.toy:1:18  const 🎭é = "🎭🎭" + name;' });
  const sent = said().find(({ method }) => method === "textDocument/definition")?.params;
  expect(sent).toMatchObject({ position: { line: 0, character: 20 } });
});

test("explains a line that does not exist, and takes a column beyond the line's end as that end", async () => {
  const { ask } = toy("well");
  expect(await ask({ operation: "goToDefinition", line: 9, character: 1 })).toEqual({
    type: "failed",
    message: "Line 9 does not exist: the file has 3 lines.",
  });
  expect(await ask({ operation: "goToDefinition", line: 1, character: 500 })).toMatchObject({
    text: "a.toy:1:11  first line",
  });
});

test("each root has a server of its own, and the one used least recently makes room (D9)", async () => {
  const { ask, said, servers, root } = toy("well");
  await ask({ operation: "goToDefinition", line: 1, character: 1 });
  const roots = Array.from({ length: 6 }, () => temporaryFolder());
  const lives = roots.map((one) => servers.for(join(one, "a.toy"), one));
  for (const life of lives) if (typeof life !== "string") await life.ready;
  const cwds = () => said().flatMap(({ cwd }) => cwd ?? []);
  expect(cwds().sort()).toEqual([root, ...roots].sort());
  expect(servers.running(join(root, "a.toy"), root)).toBeNull();
  expect(roots.every((one) => servers.running(join(one, "a.toy"), one) !== null)).toBe(true);
});

test("starts one server for a root, with the first question, and names the process that it ends with", async () => {
  const { ask, said, root } = toy("well");
  await Promise.all([1, 2, 3].map((character) => ask({ operation: "goToDefinition", line: 1, character })));
  expect(said().filter(({ pid }) => pid !== undefined)).toMatchObject([{ cwd: root }]);
  expect(said().find(({ method }) => method === "initialize")?.params).toMatchObject({
    processId: process.pid,
    rootUri: uri(root),
    capabilities: { workspace: { applyEdit: false } },
  });
  expect(said().filter(({ method }) => method === "textDocument/didOpen")).toHaveLength(1);
});

test("reports to the server what calls and other programs write, before it is asked", async () => {
  const { ask, said, servers, root } = toy("well");
  const file = join(root, "a.toy");
  const shown = () => ask({ operation: "hover", line: 1, character: 1 });
  expect(await shown()).toMatchObject({ text: "text: first line\nsecond line" });
  writeFileSync(file, "written by a call\n");
  await servers.wrote([file], root);
  const changes = () => said().filter(({ method }) => method === "textDocument/didChange");
  await expect.poll(changes).toHaveLength(1);
  writeFileSync(file, "written by another program\n");
  expect(await shown()).toMatchObject({ text: "text: written by another program" });
  rmSync(file);
  expect(await shown()).toMatchObject({ type: "failed", message: expect.stringContaining("does not exist") });
  await servers.wrote([file], root);
  const told = () => said().filter(({ method }) => method === "workspace/didChangeWatchedFiles");
  await expect
    .poll(told)
    .toMatchObject([
      { params: { changes: [{ uri: uri(file), type: 2 }] } },
      { params: { changes: [{ uri: uri(file), type: 3 }] } },
    ]);
});

test("reports files that other programs created, wrote and removed to a server that wants that", async () => {
  const clock = new FakeClock();
  const { ask, said, root } = toy("watch", { clock, files: { "old.toy": "old\n", "gone.toy": "gone\n" } });
  const asked = () => ask({ operation: "goToDefinition", line: 1, character: 1 });
  await asked();
  await expect.poll(() => said().some(({ id }) => id === 800)).toBe(true);
  writeFileSync(join(root, "old.toy"), "newer\n");
  writeFileSync(join(root, "new.toy"), "new\n");
  rmSync(join(root, "gone.toy"));
  await clock.advance(2_000);
  await asked();
  const told = said().flatMap(({ method, params }) =>
    method === "workspace/didChangeWatchedFiles" ? [params] : [],
  );
  expect(told).toHaveLength(1);
  const of = (name: string, type: number) => ({ uri: uri(join(root, name)), type });
  expect(told[0]).toMatchObject({
    changes: expect.arrayContaining([of("old.toy", 2), of("new.toy", 1), of("gone.toy", 3)]),
  });
});

test("diagnostics are those of the file as it is now, not of the text before", {
  tags: ["long"],
}, async () => {
  const { ask, root } = toy("well", { files: { "a.toy": "all is well\n" } });
  const found = () => ask({ operation: "diagnostics" });
  expect(await found()).toMatchObject({ text: "toy-server finds no problems in this file." });
  writeFileSync(join(root, "a.toy"), "this is wrong\n");
  expect(await found()).toMatchObject({ text: "a.toy:1:9  error: wrong in this is wrong (toy)" });
});

test("a place in a file that may not be read is not shown, nor what is said of a name from there (A10.6)", async () => {
  const outside = join(temporaryFolder(), "lib.toy");
  writeFileSync(outside, "text of a library\n");
  const root = temporaryFolder();
  const places = [join(root, "a.toy"), join(root, "secret.toy"), outside].map((path) => ({
    uri: uri(path),
    range,
  }));
  const sightOf = (path: string) =>
    path.endsWith("secret.toy")
      ? ("nothing" as const)
      : path === outside
        ? ("name" as const)
        : ("text" as const);
  const { ask } = toy("elsewhere", {
    ...{ root, sightOf, files: { "secret.toy": "password\n" } },
    env: { TOY_PLACES: JSON.stringify(places), TOY_URI: uri(join(root, "secret.toy")) },
  });
  const at = { line: 1, character: 1 };
  expect(await ask({ operation: "goToDefinition", ...at })).toEqual({
    type: "found",
    text: `a.toy:1:1  first line\n${outside}:1:1\n1 place is in a file that you may not read, and is left out.`,
  });
  expect(await ask({ operation: "hover", ...at })).toMatchObject({
    type: "failed",
    message: expect.stringContaining("Nothing is shown about this name."),
  });
  expect(await ask({ operation: "workspaceSymbol", query: "password" })).toEqual({
    type: "found",
    text: "1 place is in a file that you may not read, and is left out.",
  });
});

test("many places are cut, odd addresses stay addresses, and only regular files are read", async () => {
  const many = Array.from({ length: 300 }, (_, line) => ({
    uri: "jdt://contents/rt.jar/String.class",
    range: { start: { line, character: 0 }, end: { line, character: 1 } },
  }));
  const { ask } = toy("elsewhere", {
    env: { TOY_PLACES: JSON.stringify([...many, { uri: uri("/dev/zero"), range }]) },
  });
  const answer = await ask({ operation: "goToDefinition", line: 1, character: 1 });
  const text = answer.type === "found" ? answer.text : "";
  expect(text.split("\n")).toHaveLength(201);
  expect(text).toMatch(/^jdt:\/\/contents\/rt.jar\/String.class:1\n/);
  expect(text).toMatch(/… and 101 more places, which are not shown\.$/);
});

test("an operation that a server does not offer, and a file that none serves, say what to do (A3.27, A10.7)", async () => {
  const { ask, root } = toy("poor");
  const at = { line: 1, character: 1 };
  expect(await ask({ operation: "findReferences", ...at })).toEqual({
    type: "failed",
    message: "The language server toy-server cannot do findReferences. Search with Grep instead.",
  });
  const message = async (file: string) => {
    const answer = await ask({ operation: "goToDefinition", file: join(root, file), ...at });
    return answer.type === "failed" ? answer.message : "";
  };
  expect(await message("main.go")).toContain("go install golang.org/x/tools/gopls@latest");
  expect(await message("main.py")).toContain("pyright");
  expect(await message("main.zig")).toContain("troupe.languageServers");
  expect(await message("main.zig")).toContain("Languages with a server here: toy.");
});

test("the symbols of a file are a list with places, those within others indented", async () => {
  const at = (line: number) => ({ start: { line, character: 6 }, end: { line, character: 9 } });
  const method = { name: "run", kind: 6, range: at(1), selectionRange: at(1) };
  const symbols = [{ name: "Box", kind: 5, range: at(0), selectionRange: at(0), children: [method] }];
  const { ask } = toy("well", { env: { TOY_SYMBOLS: JSON.stringify(symbols) } });
  expect(await ask({ operation: "documentSymbol" })).toEqual({
    type: "found",
    text: "class Box  1:7\n  method run  2:7",
  });
});
