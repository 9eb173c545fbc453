import { expect, test } from "vitest";
import { apiError } from "../../support/messages-server.ts";
import { cases, skills } from "./cases.ts";
import { type Evaluation, evaluate } from "./evaluate.ts";
import { answer, load, modelThat, type Replies, read } from "./scripted-server.ts";

async function evaluationOf(replies: Replies): Promise<Evaluation & { readonly sent: string }> {
  const { url, requests } = await modelThat(replies);
  const evaluation = await evaluate(cases, {
    source: { provider: "anthropic", apiKey: "key", baseURL: url },
  });
  return { ...evaluation, sent: requests.map(({ rawBody }) => rawBody).join("\n") };
}

test("each way not to load the skill that matches first is counted once, and nothing else (A12.8)", {
  tags: ["long"],
}, async () => {
  const { judged, violations, open, sent } = await evaluationOf({
    // Another tool first: with the skill later, never, and in the same reply.
    "notes of a version": [read("CHANGELOG.md"), load("release-notes"), answer],
    "a commit, from a file": [read("src/price.ts"), answer],
    "names in a file": [
      { calls: [...(read("db/orders.sql").calls ?? []), ...(load("table-names").calls ?? [])] },
      answer,
    ],
    // Another skill first, one that is not there, and none of the right form.
    "a letter": [load("incident-report"), load("customer-reply"), answer],
    "an outage": [load("incident-reports"), load("incident-report"), answer],
    "a complaint, quoted": [{ calls: [{ name: "Skill", input: { name: "customer-reply" } }] }, answer],
    // Answered at once.
    "a commit, in passing": [{ text: "Prices round half up." }],
    // Loaded where none matches, at once and later.
    "a sum": [load("table-names"), answer],
    "a question about the code": [read("src/price.ts"), load("commit-message"), answer],
    // These keep the rule: words beside the call, a slash, another tool after it; and tools where none matches.
    "an announcement": [{ text: "I load the skill.", ...load("/release-notes") }, answer],
    "a table's name": [
      { calls: [...(load("table-names").calls ?? []), ...(read("db/orders.sql").calls ?? [])] },
      answer,
    ],
    "a word of a skill's": [read("CHANGELOG.md"), answer],
  });
  expect(open).toEqual([]);
  expect(judged).toBe(12);
  expect(Object.fromEntries(violations.map((one) => [one.case, one.violation]))).toEqual({
    "notes of a version": { how: "tool-first", tool: "Read" },
    "a commit, from a file": { how: "tool-first", tool: "Read" },
    "names in a file": { how: "tool-first", tool: "Read" },
    "a letter": { how: "other-skill-first", loaded: "incident-report" },
    "an outage": { how: "other-skill-first", loaded: "incident-reports" },
    "a complaint, quoted": { how: "other-skill-first", loaded: null },
    "a commit, in passing": { how: "answer-first" },
    "a sum": { how: "skill-for-nothing", loaded: "table-names" },
    "a question about the code": { how: "skill-for-nothing", loaded: "commit-message" },
  });
  expect(violations).toHaveLength(9);
  // Else it would say nothing: the model is told of the skills, and they are loaded.
  for (const [name, { description, text }] of Object.entries(skills)) {
    expect(sent).toContain(`- ${name}: ${description}`);
    expect(sent).toContain(text);
  }
});

test("a conversation that tells nothing is neither kept nor violated, and after one without a reply none is begun", {
  tags: ["long"],
}, async () => {
  const { judged, violations, open } = await evaluationOf({
    "an announcement": [{ text: "" }],
    "a commit, from a file": [apiError(401, "authentication_error", "no such key")],
  });
  expect({ judged, violations }).toEqual({ judged: 2, violations: [] });
  expect(open.map((one) => one.case)).toEqual(["an announcement", "a commit, from a file"]);
  expect(open[1]?.reason).toContain("ANTHROPIC_API_KEY");
});
