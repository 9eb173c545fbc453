import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import type { CallResult } from "../../src/mailbox/messages.ts";
import type { RunRequest } from "../../src/mailbox/runs.ts";
import { startProcesses } from "../../src/processes/client.ts";
import type { SealedTool } from "../../src/tools/bind-tool.ts";
import { agentTools } from "../../src/tools/index.ts";
import { ReadLedger } from "../../src/tools/read-ledger.ts";
import { TodoList } from "../../src/tools/todo-list.ts";
import type { AgentCallContext } from "../../src/tools/tool.ts";
import { realCommands } from "../support/commands.ts";
import { temporaryFolder } from "../support/temporary.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder with files, and an agent's view of it: real files and a real process host. */
export interface Workbench {
  readonly root: string;
  readonly reads: ReadLedger;
  readonly todo: TodoList;
  /** The context's own `run`, with variables added to the child's environment. */
  runWith(env: Readonly<Record<string, string>>): AgentCallContext["run"];
  readonly command: AgentCallContext["command"];
  /** Where it stands after its commands. */
  readonly cwd: string;
  /** Commands and their exit codes, as the receipts tell them. */
  readonly ran: (readonly [command: string, exitCode: number | null])[];
  /** What was asked of the process host. */
  readonly runs: Omit<RunRequest, "owner">[];
  write(files: Files): void;
  path(...parts: string[]): string;
  call(tool: string, input: unknown, more?: Partial<AgentCallContext>): Promise<CallResult>;
  /** The text of a call that must succeed. */
  text(tool: string, input: unknown, more?: Partial<AgentCallContext>): Promise<string>;
  /** The text of a call that must fail. */
  failure(tool: string, input: unknown, more?: Partial<AgentCallContext>): Promise<string>;
}

/** Call once per test file: the process host is shared by its tests and closed after them. */
export function workbenches(): (files?: Files) => Workbench {
  const processes = startProcesses({ env: process.env });
  const commands = realCommands(processes);
  afterAll(async () => {
    await processes.close();
    rmSync(commands.folder, { recursive: true, force: true });
  });
  return (files = {}) => {
    const root = temporaryFolder();
    const reads = new ReadLedger();
    const todo = new TodoList([]);
    const runs: Omit<RunRequest, "owner">[] = [];
    const ran: [string, number | null][] = [];
    let cwd = root;
    const context: AgentCallContext = {
      call: callId(MAIN, 1, 0),
      actor: MAIN,
      cwd: root,
      root,
      additionalDirs: [],
      signal: new AbortController().signal,
      reads,
      todo,
      hidden: async () => new Set(),
      lastWriters: [],
      clock: systemClock,
      run(request) {
        runs.push(request);
        return processes.run({ ...request, owner: MAIN });
      },
      command: (request) => commands.run(MAIN, request, new AbortController().signal),
      background: async () => ({ type: "refused", reason: "Nothing runs in the background here." }),
      ran: (command, exitCode) => void ran.push([command, exitCode]),
      changeDirectory(path) {
        cwd = path;
      },
    };
    const bench: Workbench = {
      root,
      reads,
      todo,
      get cwd() {
        return cwd;
      },
      command: context.command,
      ran,
      runs,
      runWith: (env) => (request) => processes.run({ ...request, owner: MAIN, env: { ...env } }),
      path: (...parts) => join(root, ...parts),
      write(more) {
        for (const [name, content] of Object.entries(more)) {
          mkdirSync(dirname(join(root, name)), { recursive: true });
          writeFileSync(join(root, name), content);
        }
      },
      async call(name, input, more) {
        const call = toolNamed(name).prepare(input);
        if (call.type === "invalid") return { content: call.message, isError: true };
        return call.call({ ...context, cwd, ...more });
      },
      text: async (name, input, more) => contentOf(await bench.call(name, input, more), false),
      failure: async (name, input, more) => contentOf(await bench.call(name, input, more), true),
    };
    bench.write(files);
    return bench;
  };
}

export function toolNamed(name: string): SealedTool<AgentCallContext> {
  const tool = agentTools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

function contentOf({ content, isError }: CallResult, expected: boolean): string {
  if (typeof content !== "string") throw new Error("not a text");
  if (isError !== expected) throw new Error(`${isError ? "failed" : "did not fail"}: ${content}`);
  return content;
}
