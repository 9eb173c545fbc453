import { rmSync } from "node:fs";
import { systemClock } from "../../../src/lib/clock.ts";
import { type ActorId, callId } from "../../../src/mailbox/ids.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { agentTools } from "../../../src/tools/index.ts";
import { ReadLedger } from "../../../src/tools/read-ledger.ts";
import { TodoList } from "../../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../../src/tools/tool.ts";
import { realCommands } from "../../support/commands.ts";

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

export type PlayTool = (input: Readonly<Record<string, unknown>>, cwd: string) => Promise<ToolAnswer>;

export interface Tools {
  play(name: string): PlayTool | undefined;
  close(): Promise<void>;
}

/** The product's own tools, with a real process host. One agent: what it has read it may change. */
export function startTools(actor: ActorId): Tools {
  const processes = startProcesses({ env: process.env });
  const commands = realCommands(processes);
  const reads = new ReadLedger();
  const { signal } = new AbortController();
  let calls = 0;
  const contextIn = (cwd: string): AgentCallContext => ({
    call: callId(actor, 1, ++calls),
    actor,
    cwd,
    signal,
    root: cwd,
    additionalDirs: [],
    reads,
    todo: new TodoList([]),
    hidden: async () => new Set(),
    lastWriters: [],
    clock: systemClock,
    run: (request) => processes.run({ ...request, owner: actor }, signal),
    command: (request) => commands.run(actor, request, signal),
    background: async () => ({ type: "refused", reason: "Nothing runs in the background here." }),
    ran() {},
    changeDirectory() {},
  });
  return {
    play(name) {
      const tool = agentTools.find((some) => some.name === name);
      if (tool === undefined) return undefined;
      return async (input, cwd) => {
        const ready = tool.prepare(input);
        if (ready.type === "invalid") return { text: ready.message, isError: true };
        const { content, isError } = await ready.call(contextIn(cwd));
        return { text: typeof content === "string" ? content : JSON.stringify(content), isError };
      };
    },
    async close() {
      await processes.close();
      rmSync(commands.folder, { recursive: true, force: true });
    },
  };
}
