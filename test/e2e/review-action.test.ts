// @module-tag long
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { repositoryWith } from "../support/git-repository.ts";
import { type Handler, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/review-action.js");

async function reviewed(answer: Handler, env: Readonly<Record<string, string>> = {}) {
  const { folder: cwd } = await repositoryWith({ "a.ts": "export const one = 1;\n" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  writeFileSync(join(cwd, "a.ts"), "export const one = 2;\n");
  git("commit", "-qam", "Change it");
  const server = await startMessagesServer(answer);
  onTestFinished(() => server.close());
  const home = temporaryFolder();
  const [summary, outputs] = ["summary", "outputs"].map((name) => join(home, name));
  const { exitCode, stdout } = await execa(process.execPath, [SCRIPT], {
    cwd,
    env: {
      ...{
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "sk-x",
      },
      ...{ GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: outputs, REVIEW_BASE: "HEAD~1", ...env },
    },
    ...{ extendEnv: false, reject: false },
  });
  const read = (file = "") => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  };
  return { code: exitCode, out: stdout, summary: read(summary), outputs: read(outputs), server };
}

const finding = { file: "a.ts", line: 1, severity: "error", text: "one is 2.\n::error::forged" };
const review = (findings: readonly object[]) => ({
  text: JSON.stringify({ summary: "It changes a constant.", findings }),
});

test("a review is a line at each finding, the job's summary, and outputs", async () => {
  const { code, out, summary, outputs, server } = await reviewed(() => review([finding]));
  expect(code).toBe(0);
  expect(JSON.stringify(server.requests[0]?.body.messages)).toContain("+export const one = 2;");
  expect(out).toContain("::error file=a.ts,line=1::one is 2.%0A::error::forged\n");
  // Whatever else is printed is no command of GitHub's.
  const commands = out.replaceAll(/::stop-commands::(\S+)\n[\s\S]*?::\1::/g, "");
  expect(commands.match(/^\s*::/gm)).toHaveLength(1);
  expect(summary).toContain("It changes a constant.");
  expect(outputs).toMatch(/^review<<(\S+)\n[\s\S]+\n\1\nfindings<</);
});

test.each([
  ["at findings that are bad enough", { REVIEW_FAIL_ON: "warning" }, review([finding]), 1],
  [
    "at no finding that is lesser",
    { REVIEW_FAIL_ON: "error" },
    review([{ ...finding, severity: "note" }]),
    0,
  ],
  ["if the answer never fits", {}, { text: "It is fine." }, 1],
  ["if there is no such commit", { REVIEW_BASE: "0000000" }, review([]), 1],
  ["if fail-on is none of its words", { REVIEW_FAIL_ON: "always" }, review([]), 1],
])("the job fails %s", { tags: ["long"] }, async (_, env, answer, code) => {
  expect((await reviewed(() => answer, env)).code).toBe(code);
});

test("nothing is asked if nothing has changed", async () => {
  const { code, out, server } = await reviewed(() => review([]), { REVIEW_BASE: "HEAD" });
  expect({ code, requests: server.requests.length }).toEqual({ code: 0, requests: 0 });
  expect(out).toContain("No findings.");
});
