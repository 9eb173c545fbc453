// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { LanguageServer } from "../../../src/lsp/find-servers.ts";
import type { ScriptedCall } from "../../../src/model/scripted.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { onLinux } from "../../support/needs.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const TOY = fileURLToPath(new URL("../../lsp/servers/toy-server.mjs", import.meta.url));

/** A session whose main conversation makes these calls, one after the other, with a server for `.toy` files. */
function session(
  calls: readonly ScriptedCall[],
  options: object = {},
  env: Readonly<Record<string, string>> = {},
) {
  const log = join(temporaryFolder(), "log");
  const server: LanguageServer = {
    ...{ language: "toy", name: "toy-server", origin: "machine", digest: "", settings: {} },
    ...{
      file: process.execPath,
      args: [TOY, env["TOY_PLACES"] ? "elsewhere" : "well"],
      endings: { ".toy": "toy" },
    },
    env: { TOY_LOG: log, ...env },
  };
  const made = supervised(
    "worker threads",
    (_, n) => {
      const call = calls[n];
      return call === undefined ? { text: "done" } : { calls: [call] };
    },
    {
      files: { "a.toy": "all is well\n", "secret.toy": "password\n" },
      languageServers: { servers: [server], unserved: [], untrusted: [] },
      ...options,
    },
  );
  const results = () =>
    made.model.requests.flatMap(({ messages }, n) => {
      const last = n === 0 ? undefined : messages.at(-1);
      const blocks = typeof last?.content === "object" ? last.content : [];
      return blocks.flatMap((block) =>
        block.type === "tool_result"
          ? [{ isError: block.is_error === true, text: JSON.stringify(block.content) }]
          : [],
      );
    });
  const told = (): { method?: string; pid?: number; cwd?: string }[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];
  return { ...made, results, told };
}

const lsp = (input: object): ScriptedCall => ({ name: "LSP", input });
const define = lsp({ operation: "goToDefinition", filePath: "a.toy", line: 1, character: 1 });
const deny = (text: string): Rule => ({ text, behaviour: "deny", scope: "user" });

test("an agent asks a language server, which ends with the session (A3.27)", async () => {
  const { supervisor, results, told } = session([define]);
  await supervisor.prompt("go");
  expect(results()).toEqual([{ isError: false, text: '"a.toy:1:1  all is well"' }]);
  const [{ pid = 0 } = {}] = told();
  if (onLinux) expect(existsSync(`/proc/${pid}`)).toBe(true);
  await supervisor.close();
  expect(told().map(({ method }) => method)).toContain("shutdown");
  if (onLinux) expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test("the tool is not offered where no server may be started (A10.7)", async () => {
  for (const languageServers of [undefined, { servers: [], unserved: [], untrusted: ["tsc"] }]) {
    const { supervisor, model } = session([], { languageServers });
    await supervisor.prompt("go");
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("LSP");
  }
});

test("what is missing in the input is said before any server is started (A3.27)", async () => {
  const { supervisor, results, told } = session([
    lsp({ operation: "goToDefinition", filePath: "a.toy" }),
    lsp({ operation: "rename", filePath: "a.toy" }),
    lsp({ operation: "hover", filePath: "a.toy", line: 0, character: 1 }),
    lsp({ operation: "hover", filePath: "a.py", line: 1, character: 1 }),
  ]);
  await supervisor.prompt("go");
  expect(results()).toMatchObject([
    { isError: true, text: expect.stringContaining("goToDefinition needs line and character") },
    { isError: true, text: expect.stringContaining("operation: must be one of") },
    { isError: true, text: expect.stringContaining("line: must be at least 1") },
    { isError: true, text: expect.stringContaining("npm install --save-dev pyright") },
  ]);
  expect(told()).toEqual([]);
});

test("rules for Read hold for the file asked about and for every file in the answer (A10.6)", async () => {
  const root = temporaryFolder();
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const outside = join(temporaryFolder(), "lib.toy");
  writeFileSync(outside, "text of a library\n");
  const places = [join(root, "a.toy"), join(root, "secret.toy"), outside].map((path) => ({
    uri: `file://${path}`,
    range,
  }));
  for (const [path, text] of [
    ["a.toy", "all is well\n"],
    ["secret.toy", "password\n"],
  ] as const)
    writeFileSync(join(root, path), text);
  const { supervisor, results } = session(
    [
      define,
      lsp({ operation: "documentSymbol", filePath: "secret.toy" }),
      lsp({ operation: "documentSymbol", filePath: outside }),
    ],
    { cwd: root, files: {}, rules: [deny("Read(secret.toy)")] },
    { TOY_PLACES: JSON.stringify(places) },
  );
  await supervisor.prompt("go");
  const [found, secret, other] = results();
  expect(found?.text).toContain("a.toy:1:1  all is well");
  expect(found?.text).toContain(`${outside}:1:1\\n`);
  expect(found?.text).toContain("1 place is in a file that you may not read");
  expect(JSON.stringify(results())).not.toMatch(/password|text of a library/);
  expect(secret).toMatchObject({ isError: true, text: expect.stringContaining("denies it") });
  // Nobody can be asked here.
  expect(other).toMatchObject({ isError: true, text: expect.stringContaining("outside the workspace") });
});

test("the running server gets an edit, and new errors are part of its result", {
  tags: ["long"],
}, async () => {
  const cwd = temporaryFolder();
  const file_path = join(cwd, "a.toy");
  writeFileSync(file_path, "all is well\n");
  const edit = (from: string, to: string) => ({
    name: "Edit",
    input: { file_path, old_string: from, new_string: to },
  });
  const read = { name: "Read", input: { file_path } };
  const { supervisor, results, told } = session(
    [read, edit("all", "not all"), define, edit("well", "wrong"), edit("not ", "now ")],
    {
      ...{ cwd, files: {}, permissionMode: "acceptEdits" },
    },
  );
  await supervisor.prompt("go");
  const [, unasked, , wrong, same] = results();
  expect(unasked?.text).not.toContain("reports errors");
  expect(wrong?.text).toContain("toy-server reports errors that were not there before");
  expect(wrong?.text).toContain("a.toy:1:12  error: wrong in not all is wrong (toy)");
  // Another message for the same line: it says what the line is now.
  expect(same?.isError).toBe(false);
  expect(told().filter(({ method }) => method === "textDocument/didChange").length).toBeGreaterThanOrEqual(2);
  expect(told().some(({ method }) => method === "workspace/didChangeWatchedFiles")).toBe(true);
});

test("no server is used once an agent has written to the packages that it would load (faults, section 7)", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.toy"), "all is well\n");
  const file_path = join(cwd, "node_modules/toy-plugin/index.js");
  const write = { name: "Write", input: { file_path, content: "steal()" } };
  const { supervisor, results, told } = session([define, write, define], {
    ...{ cwd, files: {}, permissionMode: "acceptEdits" },
  });
  await supervisor.prompt("go");
  const [first, written, after] = results();
  expect([first?.isError, written?.isError]).toEqual([false, false]);
  expect(after).toMatchObject({
    isError: true,
    text: expect.stringContaining("has written to node_modules"),
  });
  await expect.poll(() => told().map(({ method }) => method)).toContain("shutdown");
  expect(told().filter(({ pid }) => pid !== undefined)).toHaveLength(1);
});
