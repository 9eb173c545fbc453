// @module-tag long
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN } from "../support/built.ts";
import { troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { type RequestBody, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly session: string;
  readonly title?: string;
  readonly actor?: string;
  readonly askers?: readonly unknown[];
  readonly questions?: readonly { readonly question: string }[];
  readonly summary?: {
    readonly acceptance?: { readonly verdict: string };
    readonly worktree?: {
      readonly outcome: string;
      readonly path?: string;
      readonly conflicts?: readonly { readonly path: string }[];
    };
  };
}

async function world(
  script: (body: RequestBody, task: string, turn: number) => ServedReply,
  cwd = temporaryFolder(),
) {
  const home = temporaryFolder("troupe-home-");
  const server = await startMessagesServer(({ body }) => {
    const task =
      /task (one|two|three|four|five|six|x|lies|slow)\b/.exec(
        JSON.stringify(body.messages[0]?.content),
      )?.[1] ?? "?";
    return script(body, task, body.messages.filter(({ role }) => role === "assistant").length);
  });
  onTestFinished(() => server.close());
  const options = { home, cwd, url: server.url };
  const run = (...args: string[]) => troupe(args, options);
  const inbox = async (): Promise<readonly Entry[]> => {
    const { code, out, err } = await run("inbox", "--json");
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    return out
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  /** Looks until so many wait. */
  const waiting = async (count: number) => {
    for (;;) {
      const entries = await inbox();
      if (entries.length >= count) return entries;
    }
  };
  return { server, options, run, inbox, waiting };
}

const lastOf = ({ messages }: RequestBody) => JSON.stringify(messages.at(-1)?.content);
const calls = (name: string, input: unknown): ServedReply => ({ calls: [{ name, input }] });
const question = (text: string) => ({
  questions: [
    {
      ...{ question: text, header: "Which", multiSelect: false },
      options: [
        { label: "Left", description: "That way" },
        { label: "Right", description: "This way" },
      ],
    },
  ],
});

describe("troupe inbox (issue 19, 6)", () => {
  test("six agents' ten questions and two conflicts are answered from a second terminal; identical ones are asked once", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    const repository = await repositoryWith({ "a.txt": "one\n", "b.txt": "one\n" });
    const answers: string[] = [];
    const edited = { five: "a.txt", six: "b.txt" } as Readonly<Record<string, string>>;
    const { options, run, inbox } = await world((body, task, turn) => {
      const file = edited[task];
      const root = /Working directory: (.+?)(?:\\n|\n)/.exec(JSON.stringify(body.system))?.[1] ?? "";
      if (file === undefined) {
        // Four ask to run the same command, and then one of their own.
        if (turn < 2) {
          const command = turn === 0 ? "node -e 1 > same.txt" : `node -e 1 > ${task}.txt`;
          return calls("Bash", { command, description: `${turn}` });
        }
      } else {
        // Two ask the same question, and then edit a line of which the user has another opinion.
        if (turn === 0) return calls("AskUserQuestion", question("Which way?"));
        if (turn === 1) return calls("Read", { file_path: join(root, file) });
        if (turn === 2) {
          repository.write({ [file]: "of the user\n" });
          return calls("Edit", {
            file_path: join(root, file),
            old_string: "one",
            new_string: "of the agent",
          });
        }
      }
      answers.push(JSON.stringify(body.messages));
      return { text: `did ${task}` };
    }, repository.folder);
    mkdirSync(join(options.home, ".claude"), { recursive: true });
    writeFileSync(
      join(options.home, ".claude/settings.json"),
      JSON.stringify({ sandbox: { enabled: false } }),
    );
    const names = ["one", "two", "three", "four", "five", "six"];
    repository.write({
      ".claude/workflows/six.js": `return parallel(${JSON.stringify(names)}.map((name) => () =>
        agent("task " + name, ["five", "six"].includes(name) ? { isolation: "worktree" } : {})));`,
    });
    await repository.commit("The script");
    const flags = ["--permission-prompt-tool", "inbox", "--permission-mode", "acceptEdits"];
    const running = run("run", "six", ...flags);
    const until = async (isThere: (entries: readonly Entry[]) => boolean) => {
      for (;;) {
        const entries = await inbox();
        if (isThere(entries)) return entries;
      }
    };
    const asked = await until((all) => all.flatMap(({ askers = [] }) => askers).length === 6);
    expect(asked).toHaveLength(2);
    const same = asked.find(({ type }) => type === "permission");
    const which = asked.find(({ type }) => type === "question");
    expect(same).toMatchObject({ title: "node -e 1 > same.txt", askers: { length: 4 } });
    expect(which).toMatchObject({ questions: [{ question: "Which way?" }], askers: { length: 2 } });
    const { out: text } = await run("inbox");
    expect(text).toContain("and 3 other agents want to run Bash");
    expect(text).toMatch(/and 1 other agent ask: Which way\?/);
    expect(await run("inbox", same?.id ?? "", "perhaps")).toMatchObject({ code: 2 });
    const both = await Promise.all([run("inbox", same?.id ?? "", "y"), run("inbox", same?.id ?? "", "n")]);
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    const own = await until((all) => all.filter(({ type }) => type === "permission").length === 4);
    expect(new Set(own.map(({ title }) => title)).size).toBe(5);
    for (const { id, type } of own)
      expect(await run("inbox", id, ...(type === "question" ? ["2"] : ["n", "use pnpm"]))).toMatchObject({
        code: 0,
      });
    const { code, out } = await running;
    expect({ code, value: JSON.parse(out) }).toEqual({ code: 0, value: names.map((name) => `did ${name}`) });
    expect(answers.filter((answer) => answer.includes("use pnpm"))).toHaveLength(4);
    expect(answers.filter((answer) => /Which way[\s\S]*Right/.test(answer)).length).toBeGreaterThanOrEqual(2);

    // Two are in conflict: one is resolved, and one is given up.
    const open = await inbox();
    expect(open.map(({ summary }) => summary?.worktree?.outcome)).toEqual(["conflict", "conflict"]);
    const { out: shown } = await run("inbox");
    const [five = "", six = ""] = ["a.txt", "b.txt"].map(
      (file) => open.find(({ summary }) => summary?.worktree?.conflicts?.[0]?.path === file)?.actor ?? "",
    );
    for (const actor of [five, six]) {
      expect(shown).toContain(`then troupe worktrees merge ${actor}`);
      expect(shown).toContain(`troupe worktrees remove ${actor} --force`);
    }
    const resolved = open.find(({ actor }) => actor === five)?.summary?.worktree?.path ?? "";
    expect(shown).toContain(`resolve it in ${resolved}`);
    expect(readFileSync(join(resolved, "a.txt"), "utf8")).toMatch(
      /<<<<<<<[\s\S]*of the user[\s\S]*of the agent/,
    );
    writeFileSync(join(resolved, "a.txt"), "of both\n");
    expect(await run("worktrees", "merge", five)).toMatchObject({ code: 0 });
    expect(await run("worktrees", "remove", six)).toMatchObject({ code: 1 });
    expect(await run("worktrees", "remove", six, "--force")).toMatchObject({ code: 0 });
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("of both\n");
    expect(readFileSync(join(repository.folder, "b.txt"), "utf8")).toBe("of the user\n");
    expect(await inbox()).toEqual([]);
  });

  test("a question is answered by a number or by a text, and its file is private", async () => {
    const said: string[] = [];
    const { options, run, waiting } = await world((body, _, turn) => {
      if (turn < 2) {
        if (turn > 0) said.push(lastOf(body));
        return calls("AskUserQuestion", question(turn === 0 ? "Which way?" : "And then?"));
      }
      said.push(lastOf(body));
      return { text: "Done." };
    });
    const running = run("-p", "task x", "--permission-prompt-tool", "inbox");
    const [first] = await waiting(1);
    expect(first?.questions?.[0]?.question).toBe("Which way?");
    const projects = join(options.home, ".troupe/projects");
    const session = join(projects, readdirSync(projects)[0] ?? "", first?.session ?? "", "waiting");
    expect(statSync(session).mode & 0o077).toBe(0);
    for (const name of readdirSync(session)) expect(statSync(join(session, name)).mode & 0o077).toBe(0);
    expect((await run("sessions", "list")).out).toMatch(/ {2}needs-input {2}.*task x/);
    expect(await run("inbox", first?.id ?? "", "2")).toMatchObject({ code: 0 });
    const [second] = await waiting(1);
    expect(await run("inbox", second?.id ?? "", "straight on")).toMatchObject({ code: 0 });
    expect((await running).code).toBe(0);
    expect((await run("sessions", "list")).out).toMatch(/ {2}done {2}.*\$0\.00\d\d {2}task x/);
    expect(said[0]).toContain("Right");
    expect(said[1]).toContain("straight on");
    expect(await run("inbox", first?.id ?? "", "1")).toMatchObject({
      code: 1,
      err: expect.stringContaining("waits for no answer"),
    });
  });

  test("rejected and unmerged work, and a session that was killed, are listed with what to do", async () => {
    const repository = await repositoryWith({ "a.txt": "one\n" });
    const { options, run, inbox, server } = await world((body, task, turn) => {
      if (task === "slow") return { text: "late", delayMs: 60_000 };
      const root = /Working directory: (.+?)(?:\\n|\n)/.exec(JSON.stringify(body.system))?.[1] ?? "";
      if (turn === 0) return calls("Write", { file_path: join(root, `${task}.txt`), content: "wrong\n" });
      return { text: `did ${task}` };
    }, repository.folder);
    mkdirSync(join(repository.folder, ".claude/workflows"), { recursive: true });
    writeFileSync(
      join(repository.folder, ".claude/workflows/w.js"),
      `return agent("task lies", { isolation: "worktree", accept: { run: "grep -q right lies.txt" } });`,
    );
    const flags = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash(grep:*)"];
    expect(await run("run", "w", ...flags)).toMatchObject({ code: 0 });
    const [rejected] = await inbox();
    expect(rejected).toMatchObject({
      type: "result",
      summary: { acceptance: { verdict: "rejected" }, worktree: { outcome: "kept" } },
    });
    expect((await run("inbox")).out).toMatch(/rejected, 1 file not merged: .*\n.*troupe worktrees merge/);
    const next = server.requests.length;
    const killed = await troupe(["fanout", "task slow"], {
      ...options,
      onStart: (child) => void server.request(next).then(() => child.kill("SIGKILL")),
    });
    expect(killed.signal).toBe("SIGKILL");
    expect((await run("inbox")).out).toMatch(/its process ended.*\n.*troupe --resume/);
    expect((await run("sessions", "list")).out).toMatch(/ {2}interrupted .* task slow\n/);
    expect(existsSync(join(repository.folder, "lies.txt"))).toBe(false);
  });

  test("a conversation in another terminal says that a session waits, and answers it with /inbox", {
    ...unless(whyNoTerminal()),
    tags: ["long"],
  }, async () => {
    const { options, run, waiting, server } = await world((_, task, turn) =>
      task === "x" && turn === 0 ? calls("AskUserQuestion", question("Which way?")) : { text: "Well." },
    );
    const running = run("-p", "task x", "--permission-prompt-tool", "inbox");
    const [asked] = await waiting(1);
    const terminal = inTerminal([process.execPath, BIN], {
      ...{ cwd: options.cwd, columns: 100, rows: 30 },
      env: { HOME: options.home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret" },
    });
    await terminal.shows(/\n› *$/);
    terminal.type("how are you?\r");
    await terminal.shows("1 request of other sessions waits for you: /inbox");
    terminal.type("/inbox\r");
    await terminal.shows(`/inbox ${asked?.id} ANSWER: a number`);
    terminal.type(`/inbox ${asked?.id} 2\r`);
    await terminal.shows("Answered.");
    expect(await running).toMatchObject({ code: 0, out: expect.stringContaining("Well.") });
    expect((await run("sessions", "list")).out).toMatch(/ {2}open .* how are you\?\n/);
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
  });

  test("nothing that waits is said so, and a wrong ID is refused", async () => {
    const { run } = await world(() => ({ text: "Done." }));
    expect(await run("inbox")).toMatchObject({ code: 0, err: "Nothing waits for you.\n" });
    expect(await run("inbox", "nonsense", "y")).toMatchObject({ code: 2 });
    expect(await run("inbox", "abc.1", "y")).toMatchObject({ code: 1 });
    expect(await run("inbox", "abc.1")).toMatchObject({ code: 2 });
  });
});
