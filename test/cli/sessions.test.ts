import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { MAIN, SessionId } from "../../src/mailbox/ids.ts";
import { ALICE, BOB, linesOf, prompt, sessionEvent, spawn, summary, turnEvent } from "../journal/samples.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

function homeWith(
  ...sessions: readonly { id: string; cwd: string; events: readonly SessionEvent[]; after?: string }[]
) {
  const home = temporaryFolder();
  for (const { id, cwd, events, after = "" } of sessions) {
    const session = SessionId.parse(id);
    const { folder } = sessionPaths(home, cwd, session);
    mkdirSync(folder, { recursive: true });
    const all = [sessionEvent({ id: session, cwd, title: `about ${id}` }), ...events];
    writeFileSync(journalFile(folder), linesOf(all) + after);
  }
  return home;
}

async function run(home: string, argv: readonly string[], cwd = import.meta.dirname) {
  const io = new FakeIO({ env: { TROUPE_HOME: home }, cwd });
  const code = await main(["sessions", ...argv], io, new FakeRuntime());
  return { code, out: io.out.text, err: io.err.text };
}

/** The runtime's, not what was asked. */
const ATTACHED = "<system-reminder>\nSkills\n- review: Review a change.\n</system-reminder>";
const done: SessionEvent = { type: "end", status: "done", agents: 2 };
const here = import.meta.dirname;
const tree: readonly SessionEvent[] = [
  spawn(MAIN, {
    parent: null,
    depth: 0,
    type: "main",
    description: "main conversation",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: ATTACHED },
          { type: "text", text: "the question" },
        ],
      },
    ],
  }),
  spawn(ALICE),
  spawn(BOB, { parent: ALICE, depth: 2, description: "deeper \u001b[2J" }),
  turnEvent(BOB, 1, "on my way"),
  { type: "summary", actor: ALICE, summary: summary("found\nit"), durationMs: 1500 },
  { type: "summary", actor: MAIN, summary: summary("the answer"), durationMs: 2500 },
  prompt("and then?"),
];

describe("troupe sessions list", () => {
  test("lists the sessions about this directory, with --all those of every directory", async () => {
    const home = homeWith(
      { id: "aaaa1111", cwd: here, events: [done] },
      { id: "bbbb2222", cwd: "/elsewhere", events: [] },
    );
    expect(await run(home, ["list"])).toEqual({
      code: 0,
      out: "aaaa1111  2026-01-01 00:00 UTC  done  2 agents  about aaaa1111\n",
      err: "",
    });
    const { out } = await run(home, ["list", "--all"]);
    expect(out).toContain("about aaaa1111");
    expect(out).toMatch(/bbbb2222 .* interrupted .* about bbbb2222 {2}\/elsewhere\n/);
    expect(JSON.parse((await run(home, ["list", "--all", "--json"])).out)).toHaveLength(2);
    expect(JSON.parse((await run(home, ["list", "--json", "--cwd", join(here, "..")])).out)).toEqual([]);
  });

  test("says that no session was found", async () => {
    expect(await run(temporaryFolder(), ["list"])).toEqual({
      code: 0,
      out: "",
      err: "There is no session about this directory; --all lists those of every directory.\n",
    });
    expect((await run(temporaryFolder(), ["list", "--all"])).err).toBe("There is no session.\n");
  });
});

describe("troupe sessions export", () => {
  const HOSTILE = "<script>alert(1)</script>\n```\n# not a heading of ours";
  const exported = async (file: string) => {
    const home = homeWith({
      id: "aaaa1111",
      cwd: here,
      events: [...tree.slice(0, 4), turnEvent(MAIN, 1, HOSTILE), ...tree.slice(4)],
    });
    return { home, ...(await run(home, ["export", "aaaa", join(home, file)])) };
  };

  test.each(["a.md", "a.html"])(
    "writes prompts, replies and agents into %s, for its user only",
    async (file) => {
      const { home, code, out, err } = await exported(file);
      const path = join(home, file);
      expect({ code, out, err }).toEqual({ code: 0, out: `${path}\n`, err: "" });
      const text = readFileSync(path, "utf8");
      for (const part of ["the question", "the answer", "task of alice", "found", "on my way"])
        expect(text).toContain(part);
      expect(text).not.toContain("\u001b");
      expect(statSync(path).mode & 0o777).toBe(0o600);
    },
  );

  test("what a model says cannot run in the page", async () => {
    const { home } = await exported("a.html");
    const text = readFileSync(join(home, "a.html"), "utf8");
    expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toContain("<script");
  });

  test("overwrites no file, and refuses other kinds", async () => {
    const home = homeWith({ id: "aaaa1111", cwd: here, events: tree });
    const path = join(home, "mine.md");
    writeFileSync(path, "mine");
    expect(await run(home, ["export", "aaaa", path])).toMatchObject({
      code: 1,
      err: expect.stringContaining("it exists already; choose another name"),
    });
    expect(readFileSync(path, "utf8")).toBe("mine");
    expect((await run(home, ["export", "aaaa", "a.pdf"])).err).toContain("must end in .md or .html");
  });
});

describe("troupe sessions show", () => {
  test("shows the tree of agents with prompts, states and answers", async () => {
    const home = homeWith({ id: "aaaa1111", cwd: here, events: tree });
    const { code, out, err } = await run(home, ["show", "aaaa"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.replace(here, "HERE")).toMatchInlineSnapshot(`
      "Session aaaa1111  about aaaa1111
      directory  HERE
      model      sonnet
      started    2026-01-01 00:00 UTC
      ended      interrupted: its process ended before it

      ● main conversation  unfinished  2 turns · 51 tok
        prompt:
          the question
        answer:
          the answer
        prompt:
          and then?

        ✓ Explore · look at alice  done  2 turns · 51 tok · 1.5 s
          prompt:
            task of alice
          answer:
            found
            it

          ● Explore · deeper  unfinished  1 turn · 2 tok
            prompt:
              task of bobby
            said:
              on my way
      "
    `);
  });

  test("--follow shows events until no process has the session open", async () => {
    const home = homeWith({ id: "aaaa1111", cwd: here, events: [...tree, done] });
    const { code, out } = await run(home, ["show", "aaaa", "--follow"]);
    expect(code).toBe(0);
    expect(out).toContain("and then?");
  });

  test("--json is one object with the same", async () => {
    const home = homeWith({ id: "aaaa1111", cwd: here, events: tree });
    const { out } = await run(home, ["show", "aaaa1111", "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      id: "aaaa1111",
      session: { cwd: here, status: null },
      agents: [
        {
          id: "main",
          exchanges: [
            { prompt: "the question", summary: { text: "the answer" } },
            { prompt: "and then?", summary: null },
          ],
        },
        { id: "alice", parent: "main", status: "done", summary: { text: "found\nit" } },
        { id: "bobby", parent: "alice", status: null, turns: 1 },
      ],
      notes: [],
    });
  });

  test("names what a crash left out, and shows the rest", async () => {
    const home = homeWith({ id: "aaaa1111", cwd: here, events: tree, after: '{"seq": 9' });
    const { code, out, err } = await run(home, ["show", "aaaa1111"]);
    expect(code).toBe(0);
    expect(out).toContain("the answer");
    expect(err).toMatch(/^The last line .* is torn and was left out/);
  });

  test("asks for more of an id that begins several", async () => {
    const home = homeWith(
      { id: "aaaa1111", cwd: here, events: [] },
      { id: "aaaa2222", cwd: here, events: [] },
    );
    expect(await run(home, ["show", "aa"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^troupe: "aa" begins more than one session: aaaa\d+, aaaa\d+; give more of the ID\.\n$/,
      ),
    });
  });

  test("says of an empty or newer journal what it is", async () => {
    const newer = sessionEvent({ id: SessionId.parse("cccc3333"), cwd: here, version: 99 });
    const home = homeWith(
      { id: "aaaa1111", cwd: here, events: [] },
      { id: "cccc3333", cwd: here, events: [newer] },
    );
    expect((await run(home, ["show", "aaaa1111"])).out).toContain("No agent was started.");
    expect(await run(home, ["show", "cccc3333"])).toMatchObject({ code: 1, out: "" });
  });
});
