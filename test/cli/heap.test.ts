import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const heap = new URL("../../src/cli/process-io.ts", import.meta.url).href;

/** MiB of the young generation after much has survived in it. */
function youngMiB(first: string): number {
  const program = `
    ${first}
    let kept = [];
    for (let round = 0; round < 60; round++) kept = Array.from({ length: 40_000 }, (_, at) => ({ at, text: "x" + at }));
    const { getHeapSpaceStatistics } = await import("node:v8");
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    console.log(kept.length > 0 && young.physical_space_size / 2 ** 20);`;
  // Whatever it prints on stderr would be on the user's screen: then the output is no number.
  return Number(
    execFileSync("sh", ["-c", '"$0" --input-type=module -e "$1" 2>&1', process.execPath, program], {
      encoding: "utf8",
    }),
  );
}

test("the young generation stays small, and nothing is printed about it", () => {
  const kept = youngMiB(`(await import(${JSON.stringify(heap)})).keepHeapSmall();`);
  expect(kept).toBeLessThan(6);
  expect(youngMiB("")).toBeGreaterThan(2 * kept);
});
