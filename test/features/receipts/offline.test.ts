import { expect, test } from "vitest";
import { offlineModel } from "../../../src/model/offline.ts";
import { supervised } from "../../support/supervised.ts";
import { files } from "./project.ts";

test("what the offline model reports, it has seen", async () => {
  const { supervisor } = supervised("in-thread", [], {
    files,
    source: { provider: "client", client: offlineModel() },
  });
  const asked = [
    "where is the tax rate?",
    "how does login work?",
    "what is written about MD5?",
    "where is the password hash?",
    "review src/cart",
  ];
  const types = ["Explore", "general-purpose", "code-reviewer", "Plan", "security-audit"];
  const ends = await Promise.all(
    asked.map((prompt, at) => supervisor.spawn({ type: types[at] ?? "Explore", prompt })),
  );
  for (const { summary } of ends) {
    expect(summary.text).not.toBe("");
    expect(summary.unverified ?? []).toEqual([]);
    // Whoever only says that it needs a model has looked at nothing, and claims nothing.
    if (summary.status === "done") expect(summary).not.toHaveProperty("unfounded");
  }
});
