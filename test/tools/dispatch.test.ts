import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { systemClock } from "../../src/lib/clock.ts";
import type { ToolUseBlock } from "../../src/mailbox/conversation.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import type { AgentTool, CallResult } from "../../src/mailbox/messages.ts";
import type { Services } from "../../src/mailbox/services.ts";
import { bindTool } from "../../src/tools/bind-tool.ts";
import { type Dispatch, dispatch } from "../../src/tools/dispatch.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { TodoList } from "../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";

const id = callId(MAIN, 1, 0);
const block = (name: string): ToolUseBlock => ({
  type: "tool_use",
  id: "use_1",
  name,
  input: {},
  caller: { type: "direct" },
});

const offer = (name: string, side: AgentTool["side"]): AgentTool => ({
  name,
  description: "",
  input_schema: { type: "object" },
  side,
  aliases: [],
  parallel: true,
});

/** A dispatch over one tool on each side; what the services answer is the test's. */
function dispatching(services: Partial<Services>, run: () => Promise<string> = async () => "ran") {
  const stop = new AbortController();
  const here = bindTool<object, string, AgentCallContext>({
    name: "Here",
    aliases: [],
    description: "",
    inputSchema: z.object({}),
    permissionLevel: "read",
    parallel: true,
    title: () => "here",
    accesses: () => [],
    call: run,
    mapToolResultToToolResultBlockParam: (text) => text,
  });
  const unasked = async (): Promise<never> => {
    throw new Error("not asked in this test");
  };
  const by: Dispatch = {
    offered: [offer("Here", "agent"), offer("There", "supervisor")],
    own: ({ name }) => (name === "Here" ? here : undefined),
    services: {
      before: async () => ({ type: "go" }),
      after: async () => ({}),
      callTool: unasked,
      hidden: unasked,
      ...services,
    },
    signal: stop.signal,
    moved: () => {},
    context: (call) => ({
      call,
      actor: MAIN,
      cwd: "/",
      root: "/",
      additionalDirs: [],
      signal: stop.signal,
      reads: new ReadLedger(),
      lastWriters: [],
      todo: new TodoList([]),
      clock: systemClock,
      hidden: async () => new Set(),
      run: unasked,
      command: unasked,
      background: unasked,
      ran() {},
      changeDirectory() {},
    }),
  };
  return { by, stop: () => stop.abort(new Error("stopped")) };
}

describe("a call and a stop that meet (A1.10)", () => {
  test("a result that arrived is kept, although the agent was stopped before", async () => {
    const answer: CallResult = { content: "Not run: the agent was stopped before this call.", isError: true };
    const { by, stop } = dispatching({
      callTool: async () => {
        stop();
        return answer;
      },
    });
    expect(await dispatch(id, block("There"), by)).toEqual(answer);
  });

  test("so is that of a call in the agent's own thread: what it did is known", async () => {
    const { by, stop } = dispatching({}, async () => {
      stop();
      return "written";
    });
    expect(await dispatch(id, block("Here"), by)).toEqual({ content: "written", isError: false });
  });

  test("a call that was allowed after the stop is not run, and its result says so", async () => {
    let ran = false;
    const { by, stop } = dispatching(
      {
        before: async () => {
          stop();
          return { type: "go" };
        },
      },
      async () => {
        ran = true;
        return "";
      },
    );
    expect(await dispatch(id, block("Here"), by)).toMatchObject({
      content: expect.stringMatching(/^Not run/),
      isError: true,
    });
    expect(ran).toBe(false);
  });

  test("a call that broke off because of the stop has no result", async () => {
    const { by, stop } = dispatching({
      callTool: async () => {
        stop();
        throw new Error("broken off");
      },
    });
    await expect(dispatch(id, block("There"), by)).rejects.toThrow("broken off");
  });
});

describe("who gets a result", () => {
  test("if the decision asks for it the supervisor sees the result, and its text is added (A5.6)", async () => {
    const seen: unknown[] = [];
    const { by } = dispatching({
      before: async () => ({ type: "go", watched: true }),
      after: async ({ result }) => {
        seen.push(result);
        return { append: "a hook's words" };
      },
    });
    expect(await dispatch(id, block("Here"), by)).toEqual({
      content: [
        { type: "text", text: "ran" },
        { type: "text", text: "a hook's words" },
      ],
      isError: false,
    });
    expect(seen).toEqual([{ content: "ran", isError: false }]);
  });

  test("otherwise no result waits for a supervisor that never answers", async () => {
    const { by } = dispatching({ after: () => new Promise(() => {}) });
    expect(await dispatch(id, block("Here"), by)).toEqual({ content: "ran", isError: false });
    const { by: gone } = dispatching({ after: () => Promise.reject(new Error("gone")) });
    expect(await dispatch(id, block("Here"), gone)).toEqual({ content: "ran", isError: false });
  });
});
