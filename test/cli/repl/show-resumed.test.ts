import { describe, expect, test } from "vitest";
import { lastExchange, showResumed } from "../../../src/cli/repl/greetings.ts";
import { messageText } from "../../../src/cli/user-text.ts";
import type { SessionEvent } from "../../../src/journal/session-events.ts";
import { sessionStateOf } from "../../../src/journal/session-state.ts";
import { ActorId, MAIN } from "../../../src/mailbox/ids.ts";
import type { Turn } from "../../../src/mailbox/messages.ts";
import {
  prompt,
  recordsOf,
  SESSION,
  sessionEvent,
  spawn,
  summary,
  turnEvent,
} from "../../journal/samples.ts";
import { agentView } from "../../support/agent-view.ts";
import { FakeTerminal, noAgents } from "./fake-terminal.ts";

const REMINDER = "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n</system-reminder>";
const begun = spawn(MAIN, {
  ...{ parent: null, depth: 0, type: "main", description: "main conversation" },
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: REMINDER },
        { type: "text", text: "the first question" },
      ],
    },
  ],
});
const ended: SessionEvent = { type: "summary", actor: MAIN, summary: summary("x"), durationMs: 1 };

function stateOf(...events: readonly SessionEvent[]) {
  return sessionStateOf(recordsOf([sessionEvent(), ...events]));
}

function last(...events: readonly SessionEvent[]) {
  const main = stateOf(...events).actors.get(MAIN);
  if (!main) throw new Error("there is no main conversation");
  const { prompt, since } = lastExchange(main) ?? { prompt: "", since: [] };
  const said = since.flatMap((event) => (event.type === "message" ? [messageText(event)] : []));
  return { prompt, said: said.at(-1) ?? "" };
}

describe("the last exchange of a resumed session", () => {
  test("is the user's prompt, without what the runtime added, and the text since", () => {
    expect(last(begun)).toEqual({ prompt: "the first question", said: "" });
    expect(last(begun, turnEvent(MAIN, 1, "looking"), turnEvent(MAIN, 2, "found it"), ended)).toEqual({
      prompt: "the first question",
      said: "found it",
    });
  });

  test("is the newest prompt, received or not, and not a notice from the background", () => {
    const answered = [begun, turnEvent(MAIN, 1, "found it"), ended];
    expect(last(...answered, prompt("and then?"))).toEqual({ prompt: "and then?", said: "" });
    const heard = [{ text: "and then?", of: ["p5"] }];
    const woken = [{ text: REMINDER, of: ["result:alice.1"] }];
    expect(
      last(
        ...answered,
        prompt("and then?"),
        turnEvent(MAIN, 2, "this", { heard }),
        turnEvent(MAIN, 3, "and this", { heard: woken }),
      ),
    ).toEqual({ prompt: "and then?", said: "and this" });
  });

  test("is empty without a prompt", () => {
    const [main] = stateOf(begun).actors.values();
    if (!main) throw new Error("there is no main conversation");
    expect(lastExchange({ ...main, spec: { ...main.spec, messages: [] } })).toBeNull();
  });
});

describe("where a session stands", () => {
  const show = (events: readonly SessionEvent[], unfinished: Parameters<typeof showResumed>[2]) => {
    const terminal = new FakeTerminal({
      onLine() {},
      onInterrupt() {},
      onEscape: () => false,
      onNextMode() {},
      agents: noAgents,
      onEnd() {},
    });
    const restored = {
      ...{ id: SESSION, home: "/h", folder: "/h/s", cwd: "/w", model: "sonnet", title: "", ended: false },
      ...{ state: stateOf(...events), end: { seq: 1, bytes: 1 }, notes: [], release() {} },
    };
    showResumed(terminal, restored, unfinished);
    return terminal.text;
  };

  test("is the last exchange and who was cut off", () => {
    const agent = agentView({ id: ActorId.parse("alice") });
    expect(
      show([begun, turnEvent(MAIN, 1, "looking")], { main: true, agents: [agent, agent, agent] }),
    ).toMatchInlineSnapshot(`
      "› the first question
      looking
      Resuming session session0000001: the main conversation and 3 agents were cut off."
    `);
    expect(show([begun], { main: false, agents: [agent] })).toContain(": 1 agent was cut off.");
  });

  test("does not say that a command of the process before runs", () => {
    const messages: Turn["messages"] = [
      {
        role: "assistant",
        content: [
          {
            type: "tool_use",
            id: "t1",
            name: "Bash",
            input: { command: "npm start", run_in_background: true },
          },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t1", content: "Running in the background." }],
      },
    ];
    const text = show([begun, turnEvent(MAIN, 1, "", { messages }), ended], { main: false, agents: [] });
    expect(text).toContain("● $ npm start  ran in the background\n");
  });

  test("is short, and harmless for a terminal", () => {
    const reply = Array.from({ length: 100 }, (_, index) => `line ${index}\u001b[2J`).join("\n");
    const text = show([begun, turnEvent(MAIN, 1, reply), ended], { main: false, agents: [] });
    expect(text).toContain("… 84 lines before\nline 84\n");
    expect(text).toContain("line 99\nResuming session session0000001: nothing was cut off.");
    expect(text).not.toContain("\u001b");
  });
});
