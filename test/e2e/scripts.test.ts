import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { journalFile } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { troupe } from "../support/cli-process.ts";
import { long } from "../support/long.ts";
import { type RequestBody, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((block) => block.text ?? "").join("\n")
      : "";
const promptOf = ({ messages }: RequestBody) => /call [\w ]+/.exec(textOf(messages[0]?.content))?.[0] ?? "?";

/** Every call reads a file in its first turn and answers in its second one. */
async function world(script: string) {
  const home = temporaryFolder("troupe-home-");
  const cwd = temporaryFolder();
  const file = join(cwd, "a.txt");
  writeFileSync(file, "alpha\n");
  mkdirSync(join(cwd, ".claude/workflows"), { recursive: true });
  writeFileSync(join(cwd, ".claude/workflows/work.js"), script);
  const asked: string[] = [];
  const server = await startMessagesServer(({ body }) => {
    const prompt = promptOf(body);
    asked.push(prompt);
    const isFirst = !body.messages.some(({ role }) => role === "assistant");
    return isFirst ? { calls: [{ name: "Read", input: { file_path: file } }] } : { text: `did ${prompt}` };
  });
  onTestFinished(() => server.close());
  const options = { home, cwd, url: server.url };
  const projects = join(home, ".troupe/projects");
  /** Where the one session is. */
  const session = () => {
    const [project = ""] = readdirSync(projects);
    const [id = ""] = readdirSync(join(projects, project));
    return { id, folder: join(projects, project, id) };
  };
  return { server, asked, options, cwd, session };
}

/** The prompts of the calls that have finished as far as the journal knows, and of those that have begun. */
async function callsIn(
  folder: string,
): Promise<{ readonly done: ReadonlySet<string>; readonly open: ReadonlySet<string> }> {
  const reading = await readJournal(journalFile(folder));
  if (reading.type === "refused") return { done: new Set(), open: new Set() };
  const prompts = new Map<string, string>();
  const done = new Set<string>();
  for (const { event } of reading.records) {
    if (event.type === "spawn")
      prompts.set(event.spec.id, promptOf({ messages: event.spec.messages } as never));
    if (event.type === "summary" && event.summary.status === "done")
      done.add(prompts.get(event.actor) ?? "?");
  }
  return { done, open: new Set([...prompts.values()].filter((prompt) => !done.has(prompt))) };
}

const random = (seed: number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
};

describe("troupe run", () => {
  const CALLS = long(59, 11);
  const SCRIPT = `
    const numbers = Array.from({ length: ${CALLS - 1} }, (_, n) => n);
    const found = await pipeline(numbers, (n) => agent("call first " + n), (text, n) => (n % 4 === 0 ? agent("call then " + n) : text));
    const last = await agent("call last " + found.filter(Boolean).length);
    return [...found, last];`;

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

  test("killed at any moment, edited and resumed: no finished call is asked again, and no agent repeats more than one turn", {
    tags: ["long"],
    timeout: 1_200_000,
  }, async () => {
    const rounds = long(25, 2);
    for (let round = 0; round < rounds; round += 1) {
      const next = random(round + 1);
      const { server, asked, options, session, cwd } = await world(SCRIPT);
      let finished: ReadonlySet<string> = new Set();
      const open = new Map<string, number>();
      let args = ["run", "work"];
      for (let kills = 0; kills < 3; kills += 1) {
        const at = server.requests.length + 1 + Math.floor(next() * CALLS);
        const before = asked.length;
        const ended = troupe(args, {
          ...options,
          onStart(child) {
            void server.request(at).then(() => child.kill("SIGKILL"));
          },
        });
        const { signal } = await ended;
        for (const prompt of finished) expect(asked.slice(before)).not.toContain(prompt);
        const now = await callsIn(session().folder);
        finished = now.done;
        args = ["run", "--resume", session().id];
        if (signal === null) break;
        for (const prompt of now.open) open.set(prompt, (open.get(prompt) ?? 0) + 1);
        // An edit that changes no call.
        writeFileSync(join(cwd, ".claude/workflows/work.js"), `// Edit ${kills}.\nlog("edited");\n${SCRIPT}`);
      }
      const before = asked.length;
      const { code, out, err } = await troupe([...args, "--json"], options);
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      const { value } = JSON.parse(out);
      expect(value).toEqual([
        ...Array.from({ length: CALLS - 1 }, (_, n) => `did call ${n % 4 === 0 ? "then" : "first"} ${n}`),
        `did call last ${CALLS - 1}`,
      ]);
      for (const prompt of finished) expect(asked.slice(before)).not.toContain(prompt);
      const counts = new Map<string, number>();
      for (const prompt of asked) counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
      for (const [prompt, count] of counts)
        expect([prompt, count <= 2 + (open.get(prompt) ?? 0)]).toEqual([prompt, true]);
    }
  });

  test("two processes cannot resume one run", { tags: ["long"] }, async () => {
    const { options, session, server } = await world('return agent("call one");');
    await troupe(["run", "work"], {
      ...options,
      onStart: (child) => void server.request(1).then(() => child.kill("SIGKILL")),
    });
    const { id } = session();
    const [first, second] = await Promise.all([
      troupe(["run", "--resume", id], options),
      troupe(["run", "--resume", id], options),
    ]);
    const ends = [first, second].map(({ code }) => code).toSorted();
    // The later one may also find the run finished.
    expect(ends[0]).toBe(0);
    if (ends[1] !== 0)
      expect([first, second].find(({ code }) => code === 1)?.err).toMatch(
        /is open|in another process|is held/i,
      );
  });
});
