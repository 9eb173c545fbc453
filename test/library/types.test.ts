// @module-tag long
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import "../support/built.ts";

const root = join(import.meta.dirname, "../..");

test("the built types fit a program with only `strict` and ordinary zod, and refuse what is wrong", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const project = join(import.meta.dirname, "typed-project");
  execFile(process.execPath, [tsc, "-p", project], (error, stdout) =>
    resolve(`${error?.code ?? 0} ${stdout}`),
  );
  expect(await promise).toBe("0 ");
});
