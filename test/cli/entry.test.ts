import { spawn } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { BIN } from "../support/built.ts";
import { everyNth } from "../support/long.ts";

const SOURCE = join(import.meta.dirname, "../../src/cli/run-sources.ts");

function start(argv: readonly string[], script = `exec "$0" "$@"`, entry = BIN) {
  const child = spawn("sh", ["-c", script, process.execPath, entry, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([code, out, err]) => ({
    code,
    out,
    err,
  }));
}

describe("the process", () => {
  test("ends by itself with the exit code", async () => {
    expect(await start(["--version"])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d/), err: "" });
    expect(await start(["--no-such-flag"])).toMatchObject({ code: 2, out: "" });
  });

  test("ends quietly when the reader of its output has gone", async () => {
    const child = spawn(process.execPath, [BIN, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    expect({ err: await text(child.stderr), code: await ended }).toEqual({ err: "", code: 0 });
  });

  test("says that its directory no longer exists", async () => {
    const folder = mkdtempSync(join(tmpdir(), "troupe-gone-"));
    const gone = `cd "${folder}" && rmdir "${folder}" && exec "$0" "$@"`;
    const { code, err } = await start(["--version"], gone);
    expect(code).toBe(2);
    expect(err).toBe("troupe: The current directory no longer exists; change to another one.\n");
    expect(() => rmdirSync(folder)).toThrow("ENOENT");
  });

  test("does not load the runtime for help, version and wrong usage", { tags: ["long"] }, async () => {
    const script = `NODE_DEBUG=esm exec "$0" "$@"`;
    const all = [["--help"], ["--version"], ["fanout", "--help"], ["fanout", "--concurrency", "0", "x"]];
    for (const argv of everyNth(all, 2)) {
      const { err } = await start(argv, script, SOURCE);
      expect(err).toContain("src/cli/main.ts");
      // Words and defaults that commands are written with start nothing and load nothing.
      const runtime = err.replaceAll(
        /src\/supervisor\/(?:[\w-]+\/)?(?:words|budget|hook-words|worktree-(?:words|settings))\.ts/g,
        "",
      );
      expect(runtime).not.toMatch(
        /src\/(supervisor|actors|policy\/shell|model(?!\/(?:model-names|known-models)))\//,
      );
    }
  });
});
