import { describe, expect, test } from "vitest";
import type { AgentActions } from "../../../src/cli/repl/agent-actions.ts";
import { openAgentBrowser } from "../../../src/cli/repl/agent-browser.ts";
import type { AgentView, SupervisorEvent } from "../../../src/events/event.ts";
import { callId } from "../../../src/mailbox/ids.ts";
import { plain } from "../../../src/terminal/colour.ts";
import { createInside } from "../../../src/terminal/live/inside.ts";
import { actor, agentView } from "../../support/agent-view.ts";
import { summary } from "../fake-session.ts";

const [ONE, TWO] = [actor(1), actor(2)];
const one = agentView({ id: ONE, description: "look around" });
const two = agentView({ id: TWO, description: "write tests", parent: ONE });
const keys = {
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  pageUp: "\u001b[5~",
  enter: "\r",
  escape: "\u001b",
};

function browsing(...first: readonly AgentView[]) {
  let views = first;
  const done: string[] = [];
  const agents: AgentActions = {
    views: () => views,
    todos: () => [],
    toBackground: () => 0,
    watch: (agent, on) => void done.push(`${on ? "watch" : "leave"} ${agent}`),
    message: ({ id }, text) => void done.push(`message ${id}: ${text}`),
    stop: (agent, scope) => void done.push(`stop ${agent} ${scope}`),
  };
  const inside = createInside(
    plain,
    () => 0,
    () => 60,
    (text) => text.split("\n").map((row) => row.replaceAll("**", "").replaceAll("\u001b[2J", "")),
  );
  const browser = openAgentBrowser({ agents, inside, paint: plain, now: () => 0, onChange() {} });
  const type = (...pressed: readonly string[]) => {
    for (const text of pressed) browser?.take({ type: "key", text });
  };
  const rows = () => browser?.rows("", { columns: 60, most: 12 }).rows ?? [];
  const change = (...next: readonly AgentView[]) => {
    views = next;
  };
  return { browser, inside, done, type, rows, change };
}

describe("the tree of agents in the terminal (issue 21, 6)", () => {
  test("does not open without an agent at work", () => {
    expect(browsing({ ...one, state: "ended" }).browser).toBeNull();
  });

  test.each([
    [[keys.enter], [`watch ${ONE}`]],
    [
      [keys.down, keys.enter, keys.escape],
      [`watch ${TWO}`, `leave ${TWO}`],
    ],
    [
      [keys.enter, keys.right],
      [`watch ${ONE}`, `leave ${ONE}`, `watch ${TWO}`],
    ],
    [[keys.down, keys.down, "x"], [`stop ${TWO} foreground`]],
    [[keys.down, keys.up, "X"], [`stop ${ONE} subtree`]],
    [["m", "x", "y", keys.enter], [`message ${ONE}: xy`]],
    [["m", "x", keys.escape, "x"], [`stop ${ONE} foreground`]],
    [["m", keys.enter], []],
  ] as const)("%# keys do what they say", (pressed, expected) => {
    const { type, done } = browsing(one, two);
    type(...pressed);
    expect(done).toEqual(expected);
  });

  test("shows the agents, and Escape leaves", () => {
    const { browser, type, rows } = browsing(one, two);
    type(keys.down);
    expect(rows()[0]).toMatch(/^ {2}● Explore · look around/);
    expect(rows()[1]).toMatch(/^› {3}● Explore · write tests/);
    expect(rows()[2]).toMatch(/Enter looks inside/);
    type(keys.escape);
    expect(browser?.isOpen).toBe(false);
  });

  test("shows what one did, does and writes, how it ended, and nothing of others", () => {
    const { inside, type, rows, change, browser } = browsing(one, two);
    const call = (id: typeof ONE, title: string) =>
      ({
        actor: id,
        call: callId(id, 1, 0),
        toolUse: title,
        tool: "Bash",
        title,
        input: { command: title },
        turn: 1,
      }) as const;
    const end = {
      outcome: "ok",
      head: "3 files",
      lines: 1,
      characters: 7,
      durationMs: 5,
      exitCode: 0,
    } as const;
    const events: readonly SupervisorEvent[] = [
      { type: "call-begin", ...call(ONE, "ls") },
      { type: "call-end", ...call(ONE, "ls"), ...end },
      { type: "call-begin", ...call(TWO, "rm other") },
      {
        type: "message",
        actor: ONE,
        turn: 1,
        role: "assistant",
        content: [{ type: "text", text: "I see." }],
      },
      { type: "thinking", actor: ONE, turn: 2, text: "Hm." },
    ];
    for (const event of events) inside.onEvent(event);
    type(keys.enter);
    expect(rows()[0]).toContain("Explore · look around");
    const before = ["✓ $ ls", "  3 files", "", "I see.", ""];
    expect(rows().slice(1, -1)).toEqual([...before, "Hm."]);
    inside.onEvent({ type: "text", actor: ONE, turn: 2, text: "And no\u001b[2Jw" });
    inside.onEvent({ type: "text", actor: ONE, turn: 2, text: " more" });
    expect(rows().slice(1, -1)).toEqual([...before, "And now more"]);
    const told = ["It is", " there."].map((text) => ({ text, forUser: true as const }));
    for (const piece of told) inside.onEvent({ type: "thinking", actor: ONE, turn: 3, ...piece });
    expect(rows().slice(1, -1)).toEqual([...before, "It is there."]);
    inside.onEvent({ type: "message", actor: ONE, turn: 3, role: "assistant", content: [] });
    expect(rows().slice(1, -1)).toEqual([...before, "", "It is there.", ""]);
    const cut = { type: "thinking", actor: ONE, turn: 4, text: "Cut", forUser: true } as const;
    inside.onEvent(cut);
    inside.onEvent({ type: "waiting", actor: ONE, attempt: 1, ms: 0, reason: "It broke." });
    inside.onEvent(cut);
    inside.onEvent({ type: "message", actor: ONE, turn: 4, role: "assistant", content: [] });
    expect(rows().slice(-4, -1)).toEqual(["", "Cut", ""]);
    change({ ...one, state: "ended", summary: summary("done", "Found it.") }, two);
    inside.onEvent({ type: "message", actor: ONE, turn: 2, role: "assistant", content: "" });
    expect(rows().slice(-3)).toEqual(["", "Found it.", expect.stringContaining("m message")]);
    type(keys.escape);
    expect(browser?.isOpen).toBe(true);
    expect(rows()[1]).toContain("write tests");
  });

  test("scrolls in what one did, and keeps the place while more comes", () => {
    const { inside, type, rows } = browsing(one);
    const say = (turn: number, text: string) =>
      inside.onEvent({ type: "message", actor: ONE, turn, role: "assistant", content: text });
    say(1, Array.from({ length: 30 }, (_, row) => `**row** ${row + 1}`).join("\n"));
    type(keys.enter);
    expect(rows().slice(1, -1).at(-2)).toBe("row 30");
    type(keys.up, keys.up);
    expect(rows().slice(1, -1).at(-1)).toBe("row 29");
    type(keys.pageUp);
    expect(rows().slice(1, -1).at(-1)).toBe("row 19");
    say(2, "more");
    expect(rows().slice(1, -1).at(-1)).toBe("row 19");
    expect(rows().at(-1)).toMatch(/^15 lines below/);
    type("\u001b[F");
    expect(rows().slice(1, -1).at(-2)).toBe("more");
  });
});
