import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of the running test's own; gone when the test has ended. */
export function temporaryFolder(name = "troupe-test-", parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, name)));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
