import { spawnSync } from "node:child_process";
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
import { parseSync } from "oxc-parser";
import { afterEach, beforeEach, expect, test } from "vitest";

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
  writeFileSync(join(folder, "dist/cli.js"), `console.log(JSON.stringify(${said}));`);
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

test("an older Node is told in one sentence which one is needed, and nothing is loaded", () => {
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

test("a home that cannot be made does not keep troupe from starting", () => {
  writeFileSync(home, "a file, not a folder");
  expect(JSON.parse(troupe().out).cache).toBeNull();
});

test("a damaged installation is a sentence, and a stack trace only with --debug", () => {
  writeFileSync(join(folder, "dist/cli.js"), 'throw new Error("half a file");');
  const { code, err } = troupe();
  expect(code).toBe(1);
  expect(err).toMatch(/^troupe could not load dist\/cli\.js: half a file\nInstall it again/);
  expect(err).not.toContain("    at ");
  expect(troupe(["--debug"]).err).toContain("    at ");
});
