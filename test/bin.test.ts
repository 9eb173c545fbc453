// @module-tag long
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseSync } from "oxc-parser";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";

const bin = join(import.meta.dirname, "../bin");
let folder: string;
let home: string;

/** An installation whose CLI only says what it was given. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-bin-"));
  home = join(folder, "home");
  cpSync(bin, join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "dist"));
  const said = "{ cache: process.env.NODE_COMPILE_CACHE ?? null, args: process.argv.slice(2) }";
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "dist/threads-ahead.cjs"), "exports.threadsFor = () => null;");
  writeFileSync(join(folder, "dist/cli.cjs"), `exports.start = () => console.log(JSON.stringify(${said}));`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function troupe(args: readonly string[] = [], before: readonly string[] = []) {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const run = spawnSync(process.execPath, [...before, join(folder, "bin/troupe.js"), ...args], {
    env: { ...env, TROUPE_HOME: home },
    encoding: "utf8",
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

test("with an older Node, says in one sentence which one is needed, and loads nothing", () => {
  const pretend = join(folder, "pretend.cjs");
  writeFileSync(
    pretend,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "12.4.0" } });',
  );
  const { code, out, err } = troupe([], ["--require", pretend]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(
    /^troupe needs Node 24 or newer and was started with Node 12\.4\.0; .*nodejs\.org.*\.\n$/,
  );
});

test("the entry uses no syntax that Node 12 cannot parse", () => {
  const text = readFileSync(join(bin, "troupe.js"), "utf8");
  const { program, errors } = parseSync("troupe.cjs", text);
  expect(errors).toEqual([]);
  const newer =
    /"(ChainExpression|ImportDeclaration|ExportNamedDeclaration|PropertyDefinition|PrivateIdentifier|StaticBlock|ImportMeta|BigIntLiteral)"/;
  expect(JSON.stringify(program)).not.toMatch(newer);
  expect(text).not.toMatch(/\?\?|\|\|=|&&=|\d_\d/);
});

test("arguments reach the built CLI, and threads learn of a compile cache that only the owner can open", () => {
  const { code, out, err } = troupe(["-p", "hello"]);
  const cache = join(home, "cache/compile");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toEqual({ cache, args: ["-p", "hello"] });
  expect(statSync(cache).mode & 0o777).toBe(0o700);
});

test("a compile cache that others can write is not used, for what is in it is run", () => {
  mkdirSync(join(home, "cache/compile"), { recursive: true });
  chmodSync(join(home, "cache"), 0o777);
  expect(JSON.parse(troupe().out).cache).toBeNull();
});

const version = `v${process.versions.node}-${process.arch}-1-${process.getuid?.() ?? 0}`;

test.each([
  ["is used", 0o700, version, true],
  ["that others can write is not used", 0o777, version, false],
  ["of another Node is not used", 0o700, "v24.0.0-none-1-0", false],
])("the compile cache of the installation %s", (_, mode, name, isUsed) => {
  const installed = join(folder, "dist/compile-cache");
  mkdirSync(join(installed, name), { recursive: true });
  chmodSync(installed, mode);
  chmodSync(join(installed, name), mode);
  const { cache } = JSON.parse(troupe().out);
  expect(cache).toBe(isUsed ? join(folder, "bin/../dist/compile-cache") : join(home, "cache/compile"));
});

test("a home that cannot be made does not keep troupe from starting", () => {
  writeFileSync(home, "a file, not a folder");
  expect(JSON.parse(troupe().out).cache).toBeNull();
});

test("a damaged installation is a sentence, and a stack trace only with --debug", () => {
  writeFileSync(join(folder, "dist/cli.cjs"), 'throw new Error("half a file");');
  const { code, err } = troupe();
  expect(code).toBe(1);
  expect(err).toMatch(/^troupe could not be loaded: half a file\nInstall it again/);
  expect(err).not.toContain("    at ");
  expect(troupe(["--debug"]).err).toContain("    at ");
});

/** A program that runs until its channel closes and reports the address of its inspector. */
async function startReporting(nodeOptions: readonly string[] = []) {
  const report = `process.on("message", () => process.send({ inspector: url() ?? null }));`;
  writeFileSync(
    join(folder, "dist/cli.cjs"),
    `const { url } = require("node:inspector");\nexports.start = () => {\n${report}\nprocess.send(0);\n};`,
  );
  const child = spawn(process.execPath, [...nodeOptions, join(folder, "bin/troupe.js")], {
    // Any free port: a debugger of someone else may have the usual one.
    env: { ...process.env, TROUPE_HOME: home, NODE_OPTIONS: "--inspect-port=0" },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stderr === null) throw new Error("the program was started without pipes");
  const stderr = text(child.stderr);
  await once(child, "message");
  return {
    child,
    async inspector(): Promise<string | null> {
      child.send(0);
      const [{ inspector }] = await once(child, "message");
      return inspector;
    },
    async end() {
      const exit = once(child, "exit");
      child.disconnect();
      const [code] = await exit;
      return { code, stderr: await stderr };
    },
  };
}

test("opens no inspector on SIGUSR1, and lives on", async () => {
  const { child, inspector, end } = await startReporting();
  child.kill("SIGUSR1");
  for (let asked = 0; asked < 50; asked++) expect(await inspector()).toBeNull();
  expect(await end()).toEqual({ code: 0, stderr: "" });
});

test("closes an inspector that SIGUSR1 opened before the first line of the program ran", async () => {
  const early = join(folder, "early.cjs");
  writeFileSync(
    early,
    'process.kill(process.pid, "SIGUSR1"); const { url } = require("node:inspector"); while (!url());',
  );
  const { inspector, end } = await startReporting(["--require", early]);
  await expect.poll(inspector).toBeNull();
  expect(await end()).toMatchObject({ code: 0, stderr: expect.stringContaining("Debugger listening on") });
});

test("leaves the inspector to a user who asks for it with --inspect", async () => {
  const { child, inspector } = await startReporting(["--inspect=127.0.0.1:0"]);
  child.kill("SIGUSR1");
  expect(await inspector()).toMatch(/^ws:/);
});
