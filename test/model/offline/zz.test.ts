import { readFileSync } from "node:fs";
import { test } from "vitest";
import { untrueCitations } from "./citations.ts";
import { converse, withTools } from "./conversing.ts";

withTools();
const { cwd, qs } = JSON.parse(readFileSync("/tmp/qs.json", "utf8"));
test.each(qs as string[])("%s", async (q) => {
  const t = performance.now();
  const r = await converse({ cwd, prompt: q });
  console.log(
    "### " +
      q +
      "  [" +
      r.turns +
      " turns, " +
      r.calls.map((c) => c.name[0]).join("") +
      ", " +
      (performance.now() - t).toFixed(0) +
      "ms]\n" +
      r.text +
      "\n" +
      (await untrueCitations(cwd, r.text)).join("!!"),
  );
});
