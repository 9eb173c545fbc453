import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { converse, main, withTools } from "../../model/offline/conversing.ts";
import { BLIND } from "./blind.ts";
import { AGAIN, FRESH } from "./fresh.ts";
import { HELD_OUT } from "./held-out.ts";
import { PLACES } from "./places.ts";
import { QUESTIONS, type Question } from "./questions.ts";

withTools();

/** Checkouts of the other repositories, as `NAME=PATH,NAME=PATH`: they are asked only if they are here. */
const others = (process.env["EVAL_CHECKOUTS"] ?? "").split(",").map((pair) => pair.split("="));
const checkouts = new Map([["troupe", join(import.meta.dirname, "../../..")], ...others] as [
  string,
  string,
][]);

/** What is wrong with an answer; empty: it is good. `misleads`: it passes for done and is not good, or says what is false. */
async function judge({ prompt, stdin, contains, never = [], status }: Question, cwd: string) {
  const head = execFileSync("git", ["log", "-1", "--format=%h"], { cwd, encoding: "utf8" }).trim();
  const asked = stdin === undefined ? prompt : `${prompt}\n\n${stdin}`;
  const { text, stopReason } = await converse({ cwd, prompt: asked, ...main });
  const pattern = (source: string) => new RegExp(source.replace("{HEAD}", head), "s");
  const isDone = stopReason === "end_turn";
  const lacking = contains.filter((source) => !pattern(source).test(text));
  const wrong = never.filter((source) => pattern(source).test(text));
  const problems = [
    ...lacking.map((source) => `lacks /${source}/`),
    ...wrong.map((source) => `has /${source}/`),
    ...(status === "any" || isDone === (status === undefined)
      ? []
      : [isDone ? "passes for done" : "is not done"]),
  ];
  return { problems, misleads: wrong.length > 0 || (isDone && problems.length > 0) };
}

test.each([...checkouts].filter(([name]) => name !== ""))(
  "at least 80 %% of the answers about %s are good, and none misleads",
  {
    tags: ["long"],
    timeout: 300_000,
  },
  async (repository, path) => {
    const bad: string[] = [];
    const misleading: string[] = [];
    const questions = [...QUESTIONS, ...HELD_OUT, ...FRESH, ...AGAIN, ...PLACES, ...BLIND].filter(
      (question) => question.repository === repository,
    );
    for (const question of questions) {
      const { problems, misleads } = await judge(question, path);
      if (problems.length > 0)
        bad.push(`${misleads ? "MISLEADS " : ""}${question.prompt}: ${problems.join("; ")}`);
      if (misleads) misleading.push(question.prompt);
    }
    if (bad.length > 0)
      console.log(`${repository}: ${bad.length} of ${questions.length} are not good:\n${bad.join("\n")}`);
    expect(misleading).toEqual([]);
    expect(bad.length, bad.join("\n")).toBeLessThanOrEqual(questions.length * 0.2);
  },
);
