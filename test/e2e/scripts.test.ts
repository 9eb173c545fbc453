// @module-tag long
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { journalFile } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { long } from "../support/long.ts";
import {
  apiError,
  type RequestBody,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((block) => block.text ?? "").join("\n")
      : "";
const promptOf = ({ messages }: RequestBody) => /call [\w ]+/.exec(textOf(messages[0]?.content))?.[0] ?? "?";
/** Where an agent works, as its prompt says. */
const rootOf = ({ system }: RequestBody) =>
  /Working directory: (.+?)(?:\\n|\n)/.exec(JSON.stringify(system))?.[1] ?? "";
/** The file that a call in a worktree makes. */
const fileOf = (prompt: string) => `${prompt.replaceAll(" ", "-")}.txt`;

/** Every call reads a file in its first turn, or writes one in its worktree, and answers in its second one. */
async function world(script: string) {
  const home = temporaryFolder("troupe-home-");
  const { folder: cwd } = await repositoryWith({ "a.txt": "alpha\n" });
  mkdirSync(join(cwd, ".claude/workflows"), { recursive: true });
  writeFileSync(join(cwd, ".claude/workflows/work.js"), script);
  const asked: string[] = [];
  const rewritten: string[] = [];
  const failing = new Set<string>();
  const holding = new Map<string, Promise<void>>();
  const server = await startMessagesServer(async ({ body }) => {
    const prompt = promptOf(body);
    asked.push(prompt);
    await holding.get(prompt);
    if (failing.has(prompt)) return apiError(400, "invalid_request_error", "not now");
    const input = prompt.startsWith("call tree")
      ? { file_path: join(rootOf(body), fileOf(prompt)), content: `${prompt}\n` }
      : { file_path: join(rootOf(body), "a.txt") };
    // A kill in the middle of Write: it looks at what was done, as the result says, and writes only what is missing.
    const isUnknown = JSON.stringify(body.messages.at(-1)).includes("Result unknown");
    const isMissing = isUnknown && "content" in input && contentOf(input.file_path) !== input.content;
    if (isMissing) rewritten.push(prompt);
    else if (body.messages.some(({ role }) => role === "assistant")) return { text: `did ${prompt}` };
    return { calls: [{ name: "content" in input ? "Write" : "Read", input }] };
  });
  onTestFinished(() => server.close());
  const options = { home, cwd, url: server.url };
  return { server, asked, rewritten, failing, holding, options, cwd, session: () => onlySession(home) };
}

/** Where the one session of a home is. */
function onlySession(home: string) {
  const projects = join(home, ".troupe/projects");
  const [project = ""] = readdirSync(projects);
  const [id = ""] = readdirSync(join(projects, project));
  return { id, folder: join(projects, project, id) };
}

interface CallsIn {
  /** The prompts of the calls that have finished as far as the journal knows, and of those that have begun. */
  readonly done: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
  /** How often the edits of each were merged. */
  readonly merges: ReadonlyMap<string, number>;
  /** How each ended in a worktree: the outcome, and the reason if there is one. */
  readonly ends: ReadonlyMap<string, string>;
}

const contentOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "missing");

async function callsIn(folder: string): Promise<CallsIn> {
  const reading = await readJournal(journalFile(folder));
  const prompts = new Map<string, string>();
  const done = new Set<string>();
  const merges = new Map<string, number>();
  const ends = new Map<string, string>();
  for (const { event } of reading.type === "refused" ? [] : reading.records) {
    if (event.type === "spawn")
      prompts.set(event.spec.id, promptOf({ messages: event.spec.messages } as never));
    if (event.type !== "summary") continue;
    const prompt = prompts.get(event.actor) ?? "?";
    if (event.summary.status === "done") done.add(prompt);
    const { outcome, reason = "" } = event.summary.worktree ?? {};
    if (outcome) ends.set(prompt, `${outcome} ${reason}`);
    if (outcome === "merged") merges.set(prompt, (merges.get(prompt) ?? 0) + 1);
  }
  return { done, open: new Set([...prompts.values()].filter((prompt) => !done.has(prompt))), merges, ends };
}

/** The prompts of the agents that have a summary, one for each summary. */
async function summariesIn(folder: string): Promise<readonly string[]> {
  const reading = await readJournal(journalFile(folder));
  const records = reading.type === "refused" ? [] : reading.records;
  const prompts = new Map(
    records.flatMap(({ event }) =>
      event.type === "spawn" ? [[event.spec.id, promptOf({ messages: event.spec.messages } as never)]] : [],
    ),
  );
  return records.flatMap(({ event }) => (event.type === "summary" ? [prompts.get(event.actor) ?? "?"] : []));
}

/** Edits are merged without a question. */
const FLAGS = ["--permission-mode", "acceptEdits"];

const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
};

describe("troupe run", () => {
  const CALLS = long(59, 11);
  /** Every fifth one works in a worktree; every fourth one is followed by another call. */
  const SCRIPT = `
    const numbers = Array.from({ length: ${CALLS - 1} }, (_, n) => n);
    const first = (n) => n % 5 === 0 ? agent("call tree " + n, { isolation: "worktree" }) : agent("call first " + n);
    const found = await pipeline(numbers, first, (text, n) => (n % 4 === 1 ? agent("call then " + n) : text));
    const last = await agent("call last " + found.filter(Boolean).length);
    return [...found, last];`;
  const prompts = Array.from({ length: CALLS - 1 }, (_, n) => `call ${n % 5 === 0 ? "tree" : "first"} ${n}`);
  const answers = prompts.map((prompt, n) => `did ${n % 4 === 1 ? `call then ${n}` : prompt}`);
  const INCIDENTS = ["a kill", "a failing call", "a kill and an edit"] as const;

  test("prints what a script returns; its arguments, a failure and a wrong name are said", async () => {
    const { options } = await world('return (await agent("call " + args.name)) + "!";');
    const { code, out, err } = await troupe(["run", "work", "--arg", "name=one"], options);
    expect({ code, out }).toEqual({ code: 0, out: "did call one!\n" });
    expect(err).toContain("1 agent");
    const failing = await world("null.x;");
    expect(await troupe(["run", "work"], failing.options)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/The script failed: work\.js, line 1: TypeError/),
    });
    expect(await troupe(["run", "wrok"], options)).toMatchObject({
      code: 2,
      err: expect.stringContaining("There is no script wrok.ts or wrok.js"),
    });
  });

  test("killed at any moment, edited or with a call that fails, and resumed: no finished call is asked again, no agent repeats more than one turn, and nothing is merged twice", {
    tags: ["long"],
    // A round takes about 40 s.
    timeout: 10_800_000,
  }, async ({ annotate }) => {
    const rounds = long(100, 3);
    const totals = {
      requests: 0,
      rewritten: 0,
      askedAgain: 0,
      turnsRepeated: 0,
      mostTurnsRepeated: 0,
      mergedTwice: 0,
    };
    for (let round = 0; round < rounds; round += 1) {
      const next = random(round + 1);
      const incident = INCIDENTS[round % INCIDENTS.length];
      const { server, asked, rewritten, failing, options, session, cwd } = await world(SCRIPT);
      const fails = prompts[Math.floor(next() * prompts.length)] ?? "";
      if (incident === "a failing call") failing.add(fails);
      const first = await troupe(["run", "work", ...FLAGS], {
        ...options,
        onStart(child) {
          if (incident === "a failing call") return;
          // Two requests of each call.
          const at = Math.floor(next() * 2 * CALLS);
          void server.request(at).then(() => setTimeout(() => child.kill("SIGKILL"), next() * 200));
        },
      });
      const before = await callsIn(session().folder);
      const askedBefore = asked.length;
      const { signal: ended, err: why } = first;
      const expected = incident === "a failing call" ? null : "SIGKILL";
      expect({ round, ended, why: ended === expected ? "" : why }).toEqual({
        round,
        ended: expected,
        why: "",
      });
      if (incident === "a failing call") expect(before.done).not.toContain(fails);
      // A merge that is made again would meet this.
      for (const prompt of before.merges.keys()) writeFileSync(join(cwd, fileOf(prompt)), "of the user\n");
      failing.clear();
      if (incident === "a kill and an edit")
        writeFileSync(join(cwd, ".claude/workflows/work.js"), `// Edited.\nlog("edited");\n${SCRIPT}`);

      const { code, out, err } = await troupe(["run", "--resume", session().id, ...FLAGS, "--json"], options);
      expect({ round, code, err: code === 0 ? "" : err }).toEqual({ round, code: 0, err: "" });
      expect([round, JSON.parse(out).value]).toEqual([round, [...answers, `did call last ${CALLS - 1}`]]);
      const after = await callsIn(session().folder);
      for (const prompt of prompts.filter((one) => one.startsWith("call tree")))
        expect({
          round,
          prompt,
          file: contentOf(join(cwd, fileOf(prompt))),
          end: after.ends.get(prompt),
        }).toEqual({
          ...{ round, prompt, end: expect.stringContaining("merged") },
          file: before.merges.has(prompt) ? "of the user\n" : `${prompt}\n`,
        });
      totals.requests += asked.length;
      totals.rewritten += rewritten.length;
      totals.askedAgain += asked.slice(askedBefore).filter((prompt) => before.done.has(prompt)).length;
      totals.mergedTwice += [...after.merges.values()].filter((count) => count > 1).length;
      for (const prompt of before.open) {
        const due = (prompt === fails ? 3 : 2) + rewritten.filter((one) => one === prompt).length;
        const repeated = asked.filter((one) => one === prompt).length - due;
        totals.turnsRepeated += Math.max(0, repeated);
        totals.mostTurnsRepeated = Math.max(totals.mostTurnsRepeated, repeated);
      }
    }
    await annotate(`${rounds} rounds of ${CALLS} calls: ${JSON.stringify(totals)}`);
    expect(totals).toMatchObject({ askedAgain: 0, mergedTwice: 0 });
    expect(totals.mostTurnsRepeated).toBeLessThanOrEqual(1);
  });

  test("two processes cannot resume one run", { tags: ["long"] }, async () => {
    const { options, session, server, holding } = await world('return agent("call one");');
    await troupe(["run", "work"], {
      ...options,
      onStart: (child) => void server.request(1).then(() => child.kill("SIGKILL")),
    });
    const { id, folder } = session();
    const answer = Promise.withResolvers<void>();
    holding.set("call one", answer.promise);
    const first = troupe(["run", "--resume", id], options);
    await server.request(2);
    const second = await troupe(["run", "--resume", id], options);
    expect(second).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/The session is open in another process \(pid \d+\)/),
    });
    answer.resolve();
    expect(await first).toMatchObject({ code: 0, out: "did call one\n" });
    expect(await summariesIn(folder)).toEqual(["call one"]);
  });
});

describe("a script of the Workflow tool", () => {
  const SCRIPT = `
    const found = await parallel([() => agent("call one"), () => agent("call two")]);
    return [...found, await agent("call three")];`;
  const count = (text: string, part: string) => text.split(part).length - 1;

  /** What the main conversation does with what it has read: it resumes a run that was cut off. */
  function mainReply(said: string): ServedReply {
    const [run] = /wf_\w+/.exec(said) ?? [];
    if (run === undefined) return { calls: [{ name: "Workflow", input: { script: SCRIPT } }] };
    if (said.includes("It returned (")) return { text: "all three are done" };
    if (said.includes("ended with the program") && !said.includes("toolu_again"))
      return { calls: [{ id: "toolu_again", name: "Workflow", input: { resumeFromRunId: run } }] };
    return { text: "I wait for it." };
  }

  test.each([
    ["while a call is at work", (prompt: string) => prompt === "call three", "did call three"],
    // What it returned went with the program: the model is told how to have it again.
    [
      "when its end is being reported",
      (_: string, said: string) => said.includes("It returned ("),
      "Call Workflow with resumeFromRunId",
    ],
  ] as const)(
    "killed %s and resumed asks no finished call again, and reports its end once",
    {
      tags: ["long"],
      timeout: 120_000,
    },
    async (_, isMoment, told) => {
      const home = temporaryFolder("troupe-home-");
      const { folder: cwd } = await repositoryWith({ "a.txt": "alpha\n" });
      const asked: string[] = [];
      const killed = Promise.withResolvers<void>();
      let kill: (() => void) | null = null;
      const server = await startMessagesServer(async ({ body }) => {
        const prompt = promptOf(body);
        const said = JSON.stringify(body.messages);
        if (kill !== null && isMoment(prompt, said)) {
          kill();
          await killed.promise;
        }
        if (prompt === "?") return mainReply(said);
        asked.push(prompt);
        return { text: `did ${prompt}` };
      });
      onTestFinished(() => server.close());
      const options = { home, cwd, url: server.url };
      const flags = ["-p", "--allowed-tools", "Workflow", "--output-format", "json"];
      const first = await troupe([...flags, "go"], {
        ...options,
        onStart(child) {
          kill = () => child.kill("SIGKILL");
        },
      });
      expect(first.signal).toBe("SIGKILL");
      kill = null;
      killed.resolve();
      const before = [...asked];
      const { id, folder } = onlySession(home);
      const { done } = await callsIn(folder);

      const second = await troupe([...flags, "--resume", id, "go on"], options);
      expect(second).toMatchObject({ code: 0 });
      expect(second.json()).toMatchObject({
        status: "done",
        result: expect.stringMatching(/all three are done$/),
      });
      expect(asked.slice(before.length).filter((prompt) => done.has(prompt))).toEqual([]);
      expect((await summariesIn(folder)).filter((prompt) => prompt !== "?").toSorted()).toEqual([
        ...["call one", "call three", "call two"],
      ]);
      const last = server.requests.filter(({ body }) => promptOf(body) === "?").at(-1);
      const said = JSON.stringify(last?.body.messages);
      expect([count(said, "It returned ("), count(said, told) > 0]).toEqual([1, true]);
    },
  );
});
