import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { removeAll } from "./remove-all.ts";

/** A folder of the running test's own; gone when the test has ended. */
export function temporaryFolder(name = "troupe-test-", parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, name)));
  onTestFinished(() => removeAll(folder));
  return folder;
}
