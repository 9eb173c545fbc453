import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { processesWith } from "../support/left-behind.ts";
import { onLinux } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const TOY = fileURLToPath(new URL("../lsp/servers/toy-server.mjs", import.meta.url));

test("an offline agent follows a definition in this repository through the real server (issue 16)", {
  tags: ["long"],
}, async () => {
  const lines = readFileSync(join(repository, "src/tools/grep/grep.ts"), "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes("import { abortable }")) + 1;
  const question = { operation: "goToDefinition", filePath: "src/tools/grep/grep.ts", line, character: 12 };
  const home = temporaryFolder();
  const args = ["-p", `call LSP ${JSON.stringify(question)}`, "--offline", "--trust"];
  const { code, out } = await troupe(args, { cwd: repository, home });
  expect(out).toMatch(/src\/lib\/clock\.ts:\d+:\d+ {2}export async function abortable/);
  expect(code).toBe(0);
  if (process.platform === "linux") expect(processesWith(`HOME=${home}`)).toEqual([]);
});

/** A project with a server of its own that hangs, and what it was told. */
function hanging() {
  const cwd = temporaryFolder();
  const log = join(temporaryFolder(), "log");
  const files = {
    "a.toy": "first\n",
    "serve.sh": `#!/bin/sh\nTOY_LOG='${log}' exec '${process.execPath}' '${TOY}' hang\n`,
    ".claude/settings.json": JSON.stringify({
      troupe: { languageServers: { toy: { command: "./serve.sh", extensionToLanguage: { ".toy": "toy" } } } },
    }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  chmodSync(join(cwd, "serve.sh"), 0o755);
  const told = () => (existsSync(log) ? readFileSync(log, "utf8") : "");
  return { cwd, told };
}

const ask = 'call LSP {"operation":"goToDefinition","filePath":"a.toy","line":1,"character":1}';

test("starts no language server of a directory until the user trusts it", {
  tags: ["long"],
}, async () => {
  const { cwd, told } = hanging();
  const { out, err } = await troupe(["-p", ask, "--offline"], { cwd });
  expect(out).toContain("not offered");
  expect(err).toContain("start the language server for toy");
  expect(told()).toBe("");
});

test("a language server is gone when the program was killed with SIGKILL", {
  ...onLinux,
  tags: ["long"],
}, async () => {
  const { cwd, told } = hanging();
  const home = temporaryFolder();
  const { signal } = await troupe(["-p", ask, "--offline", "--trust"], {
    ...{ cwd, home },
    onStart(child) {
      const killOnceAsked = async () => {
        await expect.poll(told, { timeout: 30_000 }).toContain("textDocument/definition");
        child.kill("SIGKILL");
      };
      void killOnceAsked();
    },
  });
  expect(signal).toBe("SIGKILL");
  await expect.poll(() => processesWith(`HOME=${home}`), { timeout: 20_000 }).toEqual([]);
});
