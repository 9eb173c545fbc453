import { describe, expect, test } from "vitest";
import { exitCodes } from "../../../src/cli/exit-codes.ts";
import { Conversation } from "../../../src/cli/repl/conversation.ts";
import type { PromptImages } from "../../../src/cli/repl/prompt-images.ts";
import { beginAccount } from "../../../src/cli/repl/turn-account.ts";
import type { UserPrograms } from "../../../src/cli/repl/user-programs.ts";
import { reminderOf } from "../../../src/context/assemble.ts";
import type { AgentResult } from "../../../src/events/agent-result.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { Summary } from "../../../src/mailbox/messages.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { plain } from "../../../src/terminal/colour.ts";
import type { Completer } from "../../../src/terminal/input/completions.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { settled } from "../../support/fake-clock.ts";
import { FakeIO } from "../fake-io.ts";
import { FakeRuntime, type FakeScript, type FakeSession, summary } from "../fake-session.ts";
import { FakeTerminal } from "./fake-terminal.ts";
import { ownFiles } from "./slash-ground.ts";

const NO_IMAGES: PromptImages = { dropped: () => null, fromClipboard: async () => "", of: () => [] };

const options: SupervisorOptions = { cwd: "/w", source: { provider: "offline" } };

interface Held {
  readonly talk: Conversation;
  readonly terminal: FakeTerminal;
  readonly session: FakeSession;
  readonly io: FakeIO;
  type(line: string): Promise<void>;
  /** What a menu after `/` offers. */
  callable(): readonly string[];
}

interface Beginning {
  readonly prompt?: string;
  readonly goesOn?: boolean;
  readonly typed?: string;
  readonly clear?: () => Promise<() => void>;
}

async function holding(
  script: FakeScript = {},
  { prompt, goesOn = false, typed, clear = async () => () => {} }: Beginning = {},
): Promise<Held> {
  const io = new FakeIO();
  const opened: FakeTerminal[] = [];
  const offered: Completer[] = [];
  const programs: UserPrograms = {
    files: async () => ["src/a.ts"],
    run: async (line) => ({ output: `printed by ${line}`, exitCode: 3 }),
    process: () => Promise.reject(new Error("no process")),
    close: async () => {},
  };
  const talk = new Conversation(io, { programs, images: NO_IMAGES }, (listeners, completer) => {
    offered.push(completer);
    const terminal = new FakeTerminal(listeners);
    opened.push(terminal);
    return terminal;
  });
  const [terminal] = opened;
  if (!terminal) throw new Error("no terminal was opened");
  const runtime = new FakeRuntime(script);
  const create = await runtime.createSupervisor();
  create({ ...options, onEvent: (event) => talk.onEvent(event) });
  const type = async (line: string): Promise<void> => {
    terminal.listeners.onLine(line);
    await settled();
  };
  if (typed !== undefined) terminal.listeners.onLine(typed);
  const own = ownFiles({ cwd: "/w", homedir: "/w", managed: "/w/none" });
  talk.begin({
    session: runtime.only,
    whyNot: () => null,
    own,
    goesOn,
    prompt,
    clear,
    rewindTo: async () => () => {},
    remember() {},
  });
  await settled();
  const callable = () => offered.flatMap(({ commands }) => commands().map(({ value }) => value));
  return { talk, terminal, session: runtime.only, io, type, callable };
}

const never = (): Promise<Summary> => new Promise(() => {});
const hears = () => true;
const inBackground = agentView({ id: actor(7), parent: MAIN, background: true, description: "look around" });
const main = { id: MAIN, type: "main", description: "main conversation", durationMs: 5 };
const answer = (text: string): AgentResult => ({ ...main, summary: summary("done", text) });

function wakes({ session }: Held, because = "look around"): void {
  session.emit({ type: "woken", because });
}

describe("a conversation that goes on by itself (A11.5)", () => {
  test("says what woke it, shows the result, and then waits for the user again", async () => {
    const held = await holding();
    wakes(held);
    expect(held.terminal).toMatchObject({ isWorking: true });
    held.session.emit({ type: "text", actor: MAIN, text: "It found ", turn: 1 });
    held.session.emit({ type: "agent", view: agentView({ id: MAIN, turns: 2 }) });
    held.session.emit({ type: "answered", result: answer("It found three.") });
    expect(held.terminal.isWorking).toBe(false);
    expect(held.terminal.lines).toEqual([
      "> ",
      "From the background: look around.",
      "It found three.",
      expect.stringMatching(/^✓ done · 2 turns/),
      "> ",
    ]);
  });

  test("receives what is typed during a turn; after its last turn that is the next prompt", async () => {
    let ends = false;
    const held = await holding({ hears: () => !ends });
    wakes(held);
    await held.type("and the tests?");
    expect(held.session).toMatchObject({ sent: ["and the tests?"], prompts: [] });
    ends = true;
    await held.type("too late");
    expect(held.session.prompts).toEqual([]);
    held.session.emit({ type: "answered", result: answer("Done.") });
    await settled();
    expect(held.session.prompts).toEqual(["too late"]);
  });

  test("still receives a prompt that is refused because a notice came first", async () => {
    const held = await holding({
      hears,
      answer(_, session) {
        session.emit({ type: "woken", because: "look around" });
        return new Error("The main conversation is still busy with the last prompt.");
      },
    });
    await held.type("why?");
    expect(held.session.sent).toEqual(["why?"]);
    expect(held.terminal.text).not.toContain("busy");
  });

  test("shows a result once that arrives as an event and as a prompt's", async () => {
    const one = summary("done", "The one answer.");
    const held = await holding({
      answer(_, session) {
        session.emit({ type: "woken", because: "look around" });
        session.emit({ type: "answered", result: { ...main, summary: one } });
        return one;
      },
    });
    await held.type("why?");
    expect(held.terminal.text.match(/The one answer\./g)).toHaveLength(1);
    expect(held.terminal.isWorking).toBe(false);
  });

  test("Escape and Ctrl-C stop what it does in front, and nothing else (C21)", async () => {
    for (const stop of ["onEscape", "onInterrupt"] as const) {
      const held = await holding();
      wakes(held);
      held.terminal.listeners[stop]();
      expect(held.session.cancelled).toEqual([
        { actor: MAIN, reason: "The user interrupted it.", scope: "foreground" },
      ]);
      expect(held.talk.isLeaving).toBe(false);
    }
  });
});

describe("stop means stop (C21)", () => {
  test("a turn that was stopped before its first reply counts no turns, and says once that it was stopped", async () => {
    const { session } = await holding({ answer: never });
    session.emit({ type: "agent", view: agentView({ id: MAIN, turns: 14 }) });
    const account = beginAccount(session);
    const result = {
      ...main,
      summary: { ...summary("cancelled", ""), turns: 14, reason: "You stopped it." },
    };
    expect(account(result, { ms: 1_000, isStopped: true }, plain)).toEqual([
      "⊘ cancelled · 0 turns · 0 tokens · 1.0 s",
    ]);
  });

  test.each(["onEscape", "onInterrupt"] as const)(
    "%s ends the turn in front and names the agents that continue in the background",
    async (stop) => {
      const { terminal, session, type } = await holding({ answer: never });
      await type("go");
      session.emit({ type: "agent", view: inBackground });
      terminal.listeners[stop]();
      await settled();
      expect(session.cancelled).toEqual([]);
      expect(terminal.lines.slice(1)).toEqual([
        "Stopping; Ctrl-C again leaves.",
        "so far",
        expect.stringMatching(/^⊘ cancelled/),
        "1 agent goes on in the background (Explore · look around); /stop ends it.",
        "> ",
      ]);
      session.emit({ type: "text", actor: MAIN, text: " and on", turn: 1 });
      expect(terminal.events.map(({ type }) => type)).not.toContain("text");
    },
  );

  test.each([
    ["y", "bypassPermissions"],
    ["n", "default"],
    [undefined, "default"],
  ] as const)("/mode bypassPermissions warns, and %s leaves the mode at %s", async (answer, expected) => {
    const { terminal, session, type } = await holding();
    if (answer !== undefined) terminal.answers.push(answer);
    await type("/mode bypassPermissions");
    expect(session.mode()).toBe(expected);
    expect(terminal.text).toContain("you are asked about nothing");
  });

  test("Escape gives lines that nothing has read back to the prompt, with what was run before them (issue 21, 5)", async () => {
    let reads = true;
    const { terminal, session, type } = await holding({ answer: never, hears: () => reads });
    await type("go");
    await type("! ls");
    await type("and the tests?");
    reads = false;
    await type("and more");
    terminal.listeners.onEscape();
    await settled();
    expect(terminal.givenBack).toEqual(["and the tests?", "and more"]);
    expect(session.prompts).toEqual(["go"]);
    await type("again");
    expect(session.prompts[1]).toContain("printed by ls");
  });

  test("a line that is typed while it works waits in view, and is printed where the conversation reads it (issue 21, 5)", async () => {
    const { terminal, session, type } = await holding({ answer: never, hears });
    await type("go");
    session.emit({ type: "agent", view: agentView({ id: MAIN, turns: 3 }) });
    session.emit({ type: "text", actor: MAIN, text: "Working", turn: 4 });
    await type("and the tests?");
    session.emit({ type: "text", actor: MAIN, text: " on it.", turn: 4 });
    expect(terminal).toMatchObject({ echoed: ["go"], queued: ["and the tests?"] });
    session.emit({ type: "thinking", actor: MAIN, text: "The tests", turn: 5 });
    expect(terminal).toMatchObject({ echoed: ["go", "and the tests?"], queued: [] });
    await type("and then?");
    session.emit({ type: "queued", actor: MAIN, id: "q", text: "and then?", state: "read" });
    expect(terminal).toMatchObject({ echoed: ["go", "and the tests?", "and then?"], queued: [] });
    await type("/compact-all-of-it");
    await type("never read");
    expect(terminal.queued).toEqual(["never read"]);
    terminal.listeners.onEscape();
    expect(terminal.queued).toEqual([]);
    expect(terminal.echoed).not.toContain("never read");
  });

  test("Escape between turns does nothing; Ctrl-C says how to leave", async () => {
    const { terminal, talk } = await holding();
    terminal.listeners.onEscape();
    expect(terminal.lines).toEqual(["> "]);
    terminal.listeners.onInterrupt();
    expect(terminal.lines.at(-1)).toBe("Ctrl-C again leaves.");
    terminal.listeners.onInterrupt();
    expect(await talk.left).toBe(exitCodes.interrupted);
  });

  test("the second Ctrl-C leaves, a third does not wait for the session to close", async () => {
    const { terminal, talk, type, io } = await holding({ answer: never });
    await type("go");
    terminal.listeners.onInterrupt();
    terminal.listeners.onInterrupt();
    expect(await talk.left).toBe(exitCodes.interrupted);
    expect(io.left).toEqual([]);
    talk.interrupt();
    expect({ left: io.left, closed: terminal.closed }).toEqual({ left: [130], closed: true });
  });

  test("/stop ends one agent and all below it, or all agents, or says that no agent is running", async () => {
    const { session, terminal, type } = await holding();
    await type("/stop");
    expect(terminal.lines).toContain("No agent is at work.");
    session.emit({ type: "agent", view: inBackground });
    session.emit({ type: "agent", view: agentView({ id: actor(8), parent: actor(7), depth: 2 }) });
    await type("/stop agent7");
    expect(session.cancelled).toEqual([{ actor: actor(7), reason: "The user stopped it." }]);
    expect(terminal.text).toContain(
      "Stopping Explore · look around and 1 agent below it; /resume agent7 TEXT resumes it.",
    );
    await type("/stop all");
    expect(session.cancelled.map(({ actor: id }) => id)).toEqual([actor(7), actor(7), actor(8)]);
    expect(terminal.text).toContain("2 agents were told to stop. /agents lists them;");
    await type("/stop nobody");
    expect(terminal.text).toContain('There is no agent "nobody"; /agents lists them with their ids.');
    await type("/stop agent");
    expect(terminal.text).toContain('"agent" begins the ids of 2 agents; give more of it.');
  });

  test("/mcp shows the status of each server, or that no server is configured", async () => {
    const none = await holding();
    await none.type("/mcp");
    expect(none.terminal.text).toContain("There are no MCP servers; `troupe mcp add` adds one.");
    const server = { slug: "s", file: "/f", tools: 3, changed: [] };
    const { terminal, type } = await holding({
      servers: [
        { ...server, name: "maps", state: { type: "connected" } },
        { ...server, name: "mail", state: { type: "failed", reason: "it exited\u001b[31m" } },
      ],
    });
    await type("/mcp");
    expect(terminal.text).toContain("maps: connected, 3 tools");
    expect(terminal.text).toMatch(/mail: failed: it exited/);
    expect(terminal.text).not.toContain("\u001b[31m");
  });

  test.each(["onEscape", "onInterrupt"] as const)(
    "%s cancels a sign-in, and the conversation continues",
    async (stop) => {
      const { talk, terminal, type } = await holding({
        servers: [
          { ...{ name: "web", slug: "web", file: "/f", tools: 0, changed: [] }, state: { type: "starting" } },
        ],
        service: {
          signIn: (_, show, signal) =>
            new Promise((resolve) => {
              show("https://sign.in/");
              signal.addEventListener("abort", () => resolve({ ok: false, message: "Cancelled." }));
            }),
        },
      });
      await type("/mcp login web");
      expect(terminal.lines.at(-1)).toBe("https://sign.in/");
      terminal.listeners[stop]();
      await settled();
      expect(terminal.lines.slice(-3)).toEqual([
        "Stopping; Ctrl-C again leaves.",
        "The sign-in was not completed.",
        "> ",
      ]);
      expect(talk.isLeaving).toBe(false);
    },
  );

  test("prompts of MCP servers are completed, and prompts of the session", async () => {
    const server = { name: "s", slug: "s", file: "/f", tools: 0, changed: [] };
    const { callable, session, type } = await holding({
      servers: [{ ...server, state: { type: "connected" } }],
      service: { prompts: () => [{ name: "mcp__s__greet", server: "s", arguments: [] }] },
    });
    expect(callable()).toEqual(expect.arrayContaining(["/mcp", "/help", "/mcp__s__greet"]));
    await type("/mcp__s__greet Ada");
    expect(session.prompts).toEqual(["/mcp__s__greet Ada"]);
  });

  test("a command after ! runs, what it printed is shown, and the next prompt tells of it once", async () => {
    const { session, terminal, type } = await holding();
    await type("! git status");
    expect(session.prompts).toEqual([]);
    expect(terminal.text).toContain("printed by git status\nexit code 3");
    await type("why?");
    await type("and now?");
    expect(session.prompts).toEqual([
      `why?\n\n${reminderOf(["The user ran a command in a shell: git status (exit code 3). Its output:\nprinted by git status"])}`,
      "and now?",
    ]);
  });

  test("Shift-Tab goes around the modes that ask, and leaves one that does not", async () => {
    const { session, terminal } = await holding();
    const modes = Array.from({ length: 4 }, () => {
      terminal.listeners.onNextMode();
      return session.mode();
    });
    expect(modes).toEqual(["acceptEdits", "plan", "default", "acceptEdits"]);
    expect(terminal.lines.at(-1)).toBe("The mode is acceptEdits from now on.");
    session.setMode("bypassPermissions");
    terminal.listeners.onNextMode();
    expect(session.mode()).toBe("default");
  });

  test("/agents shows ids, states, what each does and its tokens", async () => {
    const { session, terminal, type } = await holding();
    session.emit({ type: "agent", view: inBackground });
    await type("/agents");
    expect(terminal.text).toContain(
      "● agen  Explore · look around  in the background · running · 0 turns · 0 tokens",
    );
  });

  test("/resume continues an agent that has ended and shows its summary when it arrives", async () => {
    const end = Promise.withResolvers<Summary>();
    const { session, terminal, type } = await holding({ answer: () => end.promise });
    session.emit({ type: "agent", view: { ...inBackground, state: "ended", summary: summary("cancelled") } });
    await type("/resume agent7 look deeper");
    expect(session.resumed).toEqual([{ actor: actor(7), text: "look deeper" }]);
    expect(terminal.lines.at(-1)).toBe("> ");
    end.resolve(summary("done", "Deeper."));
    await settled();
    expect(terminal.lines.slice(-3)).toEqual(["✓ Explore · look around", "Deeper.", "> "]);
    await type("/resume agent7");
    expect(terminal.text).toContain("Say which agent and what it should do: /resume ID TEXT;");
    await type("/resume main go");
    expect(terminal.text).toContain("Just type: the main conversation hears what has no slash in front.");
  });
});

describe("/clear", () => {
  test("lets the session go, to be resumed, and keeps what is typed for the next one", async () => {
    const prepared = Promise.withResolvers<() => void>();
    let replaced = 0;
    const held = await holding({ answer: never }, { clear: () => prepared.promise });
    await held.type("work");
    await held.type("/clear");
    await held.type("/clear");
    await held.type("hello");
    expect(held.session).toMatchObject({ left: null, sent: [] });
    prepared.resolve(() => {
      replaced += 1;
    });
    await settled();
    expect(held.session).toMatchObject({ left: "The session was left.", prompts: ["work"], sent: [] });
    expect([replaced, held.talk.isLeaving, held.terminal.isWorking]).toEqual([1, false, false]);
    // What the old session still says starts nothing.
    wakes(held);
    held.session.emit({ type: "answered", result: answer("late") });
    expect(held.terminal.text).not.toContain("late");
  });

  test("says why there can be no new session, and keeps the conversation", async () => {
    const held = await holding({}, { clear: () => Promise.reject(new Error("The settings are broken.")) });
    await held.type("/clear");
    expect(held.terminal.text).toContain("The settings are broken.");
    expect(held.session.left).toBeNull();
    await held.type("hello");
    expect(held.session.prompts).toEqual(["hello"]);
  });
});

describe("a resumed session", () => {
  const unfinished = { main: true, agents: [inBackground] };

  test("immediately continues what was cut off, and receives what was typed before and during it", async () => {
    const end = Promise.withResolvers<Summary>();
    const script: FakeScript = { unfinished, hears, answer: () => end.promise };
    const { session, terminal, type } = await holding(script, { goesOn: true, typed: "early" });
    await type("late");
    expect(session).toMatchObject({ wentOn: 1, prompts: [], sent: ["early", "late"] });
    end.resolve(summary("done", "Went on."));
    await settled();
    expect(terminal.text).toContain("Went on.");
    expect(terminal.isWorking).toBe(false);
  });

  test("can be stopped while it goes on", async () => {
    const { terminal } = await holding({ unfinished, answer: never }, { goesOn: true });
    terminal.listeners.onEscape();
    await settled();
    expect(terminal.text).toContain("⊘ cancelled");
  });

  test("waits for the user if only agents were cut off", async () => {
    const script = { unfinished: { main: false, agents: [inBackground] } };
    const { session, terminal, type } = await holding(script, { goesOn: true });
    expect(terminal.isWorking).toBe(false);
    await type("why?");
    expect(session.prompts).toEqual(["why?"]);
  });

  test("asks the prompt that was given with it", async () => {
    const { session } = await holding({}, { prompt: "and now?" });
    expect(session.prompts).toEqual(["and now?"]);
  });
});

describe("edits that conflict with the checkout (issue 21, 7)", () => {
  const conflicts = [{ path: "src/a\u001b.ts", kind: "content", lines: [{ from: 3, to: 5 }] }];
  const kept = { outcome: "conflict", files: 2, insertions: 4, deletions: 1, base: "b", head: null } as const;
  const worktree = { ...kept, conflicts, branch: "troupe/x", path: "/t/x" };
  const what = {
    type: "result",
    decision: "conflict",
    actor: actor(1),
    title: "rename",
    summary: { ...summary("done", "Renamed."), worktree },
  } as const;
  const id = `result:${actor(1)}.1`;

  /** A turn in which the edits of an agent are in conflict. */
  async function conflicted(...answers: readonly string[]): Promise<Held> {
    const held = await holding();
    held.terminal.answers.push(...answers);
    wakes(held);
    held.session.emit({ type: "asked", id, what });
    return held;
  }
  const endTurn = (held: Held) => held.session.emit({ type: "answered", result: answer("Done.") });

  test.each([
    [["a"], /keep your own version/],
    [["2"], /keep the checkout's version/],
    [
      ["x", "use both names, one as an alias"],
      /what the user writes below[\s\S]*\n\nuse both names, one as an alias$/,
    ],
  ] as const)("are asked about after the turn; %j goes to their agent", async (answers, text) => {
    const held = await conflicted(...answers);
    await settled();
    expect(held.terminal.text).not.toContain("conflict");
    endTurn(held);
    await expect.poll(() => held.session.resumed).toMatchObject([{ actor: actor(1) }]);
    expect(held.session.resumed[0]?.text).toMatch(text);
    expect(held.session.resumed[0]?.text).toContain("(lines 3-5)");
    expect(held.terminal.text).toContain('The edits of "rename" conflict with your checkout.');
    expect(held.terminal.text).not.toContain("\u001b");
  });

  test("stay as they are if the user wants that, and are not asked about again", async () => {
    const held = await conflicted("l");
    endTurn(held);
    await expect.poll(() => held.terminal.text).toContain("Left as it is");
    await held.type("next");
    expect(held.session.resumed).toEqual([]);
    expect(held.terminal.text.match(/conflict with your checkout/g)).toHaveLength(1);
  });

  test("are not asked about once they are settled", async () => {
    const held = await conflicted("a");
    held.session.emit({ type: "settled", id, answer: null });
    endTurn(held);
    await settled();
    expect(held.session.resumed).toEqual([]);
  });
});
