import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keptIn, writeKept } from "../../src/context/disk-cache.ts";
import { unless } from "../support/needs.ts";
import { smallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary.ts";

const disk = smallDisk();
const kept = new Map([["a", { stamp: "1", read: "x".repeat(10_000) }]]);

describe("a home with little room", unless(disk.why), () => {
  test.each([
    ["is left to the journal", 1_500_000, false],
    ["has caches if there is enough", 0, true],
  ])("%s", (_what, ballast, expected) => {
    const home = disk.mountIn(temporaryFolder(), "2m");
    writeFileSync(join(home, "ballast"), Buffer.alloc(ballast));
    const path = keptIn(home, "agents", "/w");
    writeKept({ path, version: 1 }, kept);
    expect(existsSync(path)).toBe(expected);
  });
});
