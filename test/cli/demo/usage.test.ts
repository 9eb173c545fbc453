import { expect, test } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { FakeIO } from "../fake-io.ts";

async function run(...argv: readonly string[]) {
  const io = new FakeIO();
  const code = await main(["start", ...argv], io);
  return { code, out: io.out.text, err: io.err.text };
}

test.each([
  [["--demo", "foo"], 'troupe: --demo cannot be "foo"; it is one of edits.\n'],
  [
    ["--demo", "edits", "--model", "opus"],
    "troupe: A demo brings all that it needs; leave --model out, or leave --demo out.\n",
  ],
  [
    ["--demo", "edits", "where is it?"],
    "troupe: A demo brings all that it needs; leave questions out, or leave --demo out.\n",
  ],
  [["--keep"], "troupe: --keep and --json are about a demo; add --demo edits, or leave them out.\n"],
])("start %j is wrong usage, said in one sentence", async (argv, sentence) => {
  expect(await run(...argv)).toEqual({ code: 2, out: "", err: sentence });
});

test("help says what the demo is", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("troupe start --demo edits [--keep] [--json]");
});
