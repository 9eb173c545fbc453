import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { pdf } from "../../support/pdf.ts";
import { supervised } from "../../support/supervised.ts";
import { lastResults, textsOf } from "../../support/texts-of.ts";

const nowhere = "/nowhere";
const context = {
  memory: { ...userPlaces({}, nowhere), home: nowhere, managed: nowhere, trusted: () => false },
};

const notebook = {
  cells: [
    { cell_type: "code", id: "one", source: ["x = 1"], metadata: {}, execution_count: 1, outputs: [] },
    { cell_type: "markdown", id: "two", source: ["# Title"], metadata: {} },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};

const imagesIn = ({ messages }: ModelRequest) =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((block) => (block.type === "image" ? [block] : [])),
  );

test("documents that a prompt names are attached as Read shows them, and count as read (A2.8, A8.3)", {
  tags: ["long"],
}, async () => {
  const { supervisor, model, cwd } = supervised(
    "in-thread",
    () => {
      if (model.requests.length !== 2) return { text: "Seen." };
      const input = { notebook_path: join(cwd, "n.ipynb"), cell_id: "one", new_source: "x = 2" };
      return { calls: [{ name: "NotebookEdit", input }] };
    },
    { context, permissionMode: "acceptEdits" },
  );
  writeFileSync(join(cwd, "paper.pdf"), pdf(2));
  writeFileSync(join(cwd, "n.ipynb"), JSON.stringify(notebook, null, 1));
  await supervisor.prompt("look at @paper.pdf");
  const [first] = model.requests;
  expect(first && textsOf(first)).toContain("[Page 2 of 2]\nThis is page 2");
  expect(first && imagesIn(first)).toHaveLength(2);
  await supervisor.prompt("and at @n.ipynb");
  const [, second, third] = model.requests;
  expect(second && textsOf(second)).toContain('[Cell 1 of 2: id "one", code, executed as 1]\nx = 1');
  expect(third && lastResults(third)).toEqual([expect.stringContaining("was replaced")]);
  expect(readFileSync(join(cwd, "n.ipynb"), "utf8")).toContain("x = 2");
});

test("a document that cannot be shown is named with the reason that Read gives", async () => {
  const { supervisor, model, cwd } = supervised("in-thread", () => ({ text: "Seen." }), {
    context,
  });
  writeFileSync(join(cwd, "broken.ipynb"), "{ not json");
  await supervisor.prompt("look at @broken.ipynb");
  const [first] = model.requests;
  expect(first && textsOf(first)).toContain("so its cells cannot be shown");
});
