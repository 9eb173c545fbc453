import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findLanguageServers, isUnchanged } from "../../src/lsp/find-servers.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A project with these files; those that begin with `#!` can be run. */
function project(files: Readonly<Record<string, string>>) {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) put(join(root, path), text);
  return root;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  if (text.startsWith("#!")) chmodSync(path, 0o755);
}

const node = "#!/usr/bin/env node\n";
const find = (root: string, path = "", setting: Readonly<Record<string, unknown>> = {}) =>
  findLanguageServers({ root, path, setting });

test("servers are found in the project's own packages first, then on the PATH (issue 16, point 3)", async () => {
  const bin = project({ "pyright-langserver": node, gopls: "#!/bin/sh\n" });
  const root = project({
    "a.py": "",
    "go.mod": "",
    "src/x.rs": "",
    "node_modules/.bin/pyright-langserver": node,
  });
  const { servers, unserved } = await find(root, bin);
  expect(servers).toMatchObject([
    {
      ...{ language: "python", origin: "project", file: process.execPath },
      args: [join(root, "node_modules/.bin/pyright-langserver"), "--stdio"],
    },
    { language: "go", origin: "machine", file: join(bin, "gopls"), args: ["serve"] },
  ]);
  expect(unserved.map(({ name }) => name)).toEqual(["rust"]);
});

test("TypeScript serves itself from version 7 on, and before that needs the other server", async () => {
  const files = (version: string) => ({
    "tsconfig.json": "{}",
    "node_modules/typescript/package.json": JSON.stringify({ version }),
    "node_modules/.bin/tsc": node,
    "node_modules/.bin/typescript-language-server": node,
  });
  const nameOf = async (version: string) =>
    (await find(project(files(version)))).servers.map(({ name }) => name);
  expect(await nameOf("7.0.2")).toEqual(["tsc"]);
  expect(await nameOf("6.0.3")).toEqual(["typescript-language-server"]);
  expect(await nameOf("not a version")).toEqual(["typescript-language-server"]);
});

test("languages that the project does not use are not looked for, nor is what other people's code is written in", async () => {
  const bin = project({ "pyright-langserver": node, gopls: "#!/bin/sh\n", clangd: "#!/bin/sh\n" });
  const root = project({ "node_modules/x/a.py": "", "vendor/b.go": "", ".venv/c.py": "", "notes.md": "" });
  expect(await find(root, bin)).toEqual({ servers: [], unserved: [], problems: [] });
});

test("a program of the project counts as the project's, by any path to it", async () => {
  const root = project({
    "a.py": "",
    "node_modules/.bin/pyright-langserver": node,
    "evil/pyright-langserver": node,
  });
  const origins = async (path: string) => (await find(root, path)).servers.map(({ origin }) => origin);
  expect(await origins("")).toEqual(["project"]);
  const other = project({ "a.py": "", "tools/pyright-langserver": node });
  const elsewhere = temporaryFolder();
  symlinkSync(join(other, "tools/pyright-langserver"), join(elsewhere, "pyright-langserver"));
  const byPath = async (path: string) => (await find(other, path)).servers.map(({ origin }) => origin);
  expect(await byPath(join(other, "tools"))).toEqual(["project"]);
  expect(await byPath(elsewhere)).toEqual(["project"]);
  // A relative folder of the PATH would be wherever an agent stands.
  expect(await byPath("tools:.:./tools")).toEqual([]);
});

test("the user agrees to this program with these arguments, and to no other (fault 60)", async () => {
  const root = project({ "a.py": "", "node_modules/.bin/pyright-langserver": node });
  const digest = async (said = {}) => (await find(root, "", said)).servers[0]?.digest;
  const before = await digest();
  expect(await digest()).toBe(before);
  put(join(root, "node_modules/.bin/pyright-langserver"), `${node}require("child_process").exec("evil")`);
  expect(await digest()).not.toBe(before);
  const entry = { command: "pyright-langserver", extensionToLanguage: { ".py": "python" } };
  const own = await digest({ python: entry });
  expect(await digest({ python: { ...entry, args: ["--verbose"] } })).not.toBe(own);
  expect(await digest({ python: { ...entry, env: { NODE_PATH: "x" } } })).not.toBe(own);
});

test("a program that was changed after it was found is not started", async () => {
  const bin = "node_modules/.bin/pyright-langserver";
  const root = project({ "a.py": "", [bin]: node, "b.go": "", "bin/gopls": "#!/bin/sh\n" });
  const { servers } = await find(root, join(root, "bin"));
  const asAgreed = () => Promise.all(servers.map(isUnchanged));
  expect(await asAgreed()).toEqual([true, true]);
  put(join(root, bin), `${node}evil()`);
  rmSync(join(root, "bin/gopls"));
  symlinkSync("/bin/sh", join(root, "bin/gopls"));
  expect(await asAgreed()).toEqual([false, false]);
});

test("settings add and replace servers and disable languages; an invalid entry is a problem", async () => {
  const root = project({ "a.ex": "", "b.py": "", "c.go": "", "bin/elixir-ls": "#!/bin/sh\n" });
  const bin = project({ gopls: "#!/bin/sh\n", "my-python": "#!/bin/sh\n" });
  const said = {
    elixir: { command: "./bin/elixir-ls", extensionToLanguage: { ".ex": "elixir" }, settings: { x: 1 } },
    python: { command: "my-python", args: ["-s"], extensionToLanguage: { ".py": "python" } },
    go: { disabled: true },
    broken: { command: 7 },
    missing: { command: "nowhere-ls", extensionToLanguage: { ".ex": "elixir" } },
  };
  const { servers, unserved, problems } = await find(root, bin, said);
  expect(servers).toMatchObject([
    { language: "elixir", origin: "project", file: join(root, "bin/elixir-ls"), settings: { x: 1 } },
    { language: "python", origin: "machine", file: join(bin, "my-python"), args: ["-s"] },
  ]);
  expect(unserved).toMatchObject([{ name: "missing", install: expect.stringContaining("nowhere-ls") }]);
  expect(problems).toEqual([expect.stringContaining('"broken" cannot be used, because command is invalid')]);
});
