#!/usr/bin/env node
"use strict";
// Only syntax and modules that Node 12 knows, at least up to start(): an old Node must get this far to be
// told so. (bin/package.json makes this file CommonJS for the same reason.)

const NEEDED = 24;

if (parseInt(process.versions.node, 10) < NEEDED) {
  console.error(
    `troupe needs Node ${NEEDED} or newer and was started with Node ${process.versions.node}; ` +
      "install the LTS release from https://nodejs.org, or with `nvm install --lts`.",
  );
  // 1, not 2: nothing is wrong with how troupe was called.
  process.exitCode = 1;
} else {
  start();
}

function start() {
  keepInspectorShut();
  cacheCompiledCode();
  load().catch(function explain(error) {
    console.error(`troupe could not be loaded: ${error.message}`);
    console.error("Install it again; in a checkout, run `npm ci`.");
    if (process.argv.includes("--debug")) console.error(error.stack);
    process.exitCode = 1;
  });
}

/** In a checkout that was not built, the sources run. The built files need no loader of ES modules, which reads them twice. */
async function load() {
  const dist = require("node:path").join(__dirname, "../dist/");
  if (require("node:fs").existsSync(`${dist}cli.cjs`)) {
    const ahead = require(`${dist}threads-ahead.cjs`).threadsFor(process.argv.slice(2));
    await require(`${dist}cli.cjs`).start(ahead);
  } else await import("../src/cli/run-sources.ts");
}

/** Every user of the machine can reach an inspector, and this process holds the model's key. */
function keepInspectorShut() {
  const flags = process.execArgv.concat(process.env.NODE_OPTIONS || "").join(" ");
  if (/--inspect(?!-p)/.test(flags)) return;
  process.on("SIGUSR1", function ignore() {});
  // A signal that came while Node was loading opens the inspector only now, and a close before that does not hold.
  setTimeout(() => require("node:inspector").close(), 200).unref();
}

/**
 * Threads start a third faster from compiled code. They learn of the cache by the environment variable
 * only: what enableCompileCache() does in the main thread does not reach them.
 */
function cacheCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const path = require("node:path");
  const home = process.env.TROUPE_HOME || path.join(require("node:os").homedir(), ".troupe");
  try {
    const folder = installedCache() || privateFolder(path.resolve(home), ["cache", "compile"]);
    if (folder === undefined) return;
    require("node:module").enableCompileCache(folder);
    process.env.NODE_COMPILE_CACHE = folder;
  } catch {
    // A home that cannot be written, or a full disk: troupe then only starts a little slower, and whoever
    // really needs the folder (the journal) says what is wrong with it.
  }
}

/** The one that was made with dist/ or at the installation (scripts/warm.js), if that was done by this user with this Node. */
function installedCache() {
  const fs = require("node:fs");
  const folder = require("node:path").join(__dirname, "../dist/compile-cache");
  if (!fs.existsSync(folder)) return undefined;
  const start = `v${process.versions.node}-${process.arch}-`;
  const own = fs.readdirSync(folder).find((name) => name.startsWith(start));
  return own !== undefined && isPrivate(folder) && isPrivate(`${folder}/${own}`) ? folder : undefined;
}

function privateFolder(home, below) {
  const fs = require("node:fs");
  let folder = home;
  for (const name of ["", ...below]) {
    folder = require("node:path").join(folder, name);
    // Level by level: a recursive mkdir never ends below a place like /proc.
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
    if (!isPrivate(folder)) return undefined;
  }
  return folder;
}

/** What is in a compile cache is run, so each folder must be ours and nobody else's to write. */
function isPrivate(folder) {
  const { uid, mode } = require("node:fs").statSync(folder);
  const writableByOthers = process.platform !== "win32" && (mode & 0o022) !== 0;
  const foreign = process.getuid !== undefined && uid !== process.getuid();
  return !writableByOthers && !foreign;
}
