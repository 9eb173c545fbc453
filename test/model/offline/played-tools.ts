import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { systemClock } from "../../../src/mailbox/clock.ts";
import { type ActorId, callId } from "../../../src/mailbox/ids.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import type { Processes } from "../../../src/processes/processes.ts";
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

/** The product's own tools, with a real process host; for those that change or run, a few lines each. */
export function startTools(actor: ActorId): Tools {
  const processes = startProcesses({ env: process.env });
  let calls = 0;
  return {
    play(name) {
      const tool = agentTools.find((some) => some.name === name);
      if (tool === undefined) return changingTools[name];
      return async (input, cwd) => {
        calls += 1;
        const ready = tool.prepare(input);
        if (ready.type === "invalid") return wrong(ready.message);
        const { content, isError } = await ready.call(contextOf(processes, actor, calls, cwd));
        return { text: typeof content === "string" ? content : JSON.stringify(content), isError };
      };
    },
    close: () => processes.close(),
  };
}

function contextOf(processes: Processes, actor: ActorId, count: number, cwd: string): AgentCallContext {
  const { signal } = new AbortController();
  return {
    call: callId(actor, 1, count),
    actor,
    cwd,
    signal,
    root: cwd,
    additionalDirs: [],
    reads: new ReadLedger(),
    todo: new TodoList([]),
    lastWriters: [],
    clock: systemClock,
    run: (request) => processes.run({ ...request, owner: actor }, signal),
    command: (request) => realCommands(processes).run(actor, request, signal),
    background: async () => ({ type: "refused", reason: "Nothing runs in the background here." }),
    ran() {},
    changeDirectory() {},
  };
}

const changingTools: Readonly<Record<string, PlayTool>> = {
  async Edit(input) {
    const path = text(input, "file_path");
    const content = await readFile(path, "utf8");
    const count = content.split(text(input, "old_string")).length - 1;
    if (count === 0) return wrong("old_string is not in the file.");
    if (count > 1 && input["replace_all"] !== true)
      return wrong(`old_string occurs ${count} times in the file.`);
    await writeFile(
      path,
      content.replaceAll(text(input, "old_string"), () => text(input, "new_string")),
    );
    return answer(`${path} was changed.`);
  },
  async Write(input) {
    const path = text(input, "file_path");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text(input, "content"));
    return answer(`${path} was written.`);
  },
  async Bash(input, cwd) {
    const { code, stdout, stderr } = await run("bash", ["-c", text(input, "command")], cwd);
    const output = `${stdout}${stderr}`;
    return code === 0 ? answer(output) : wrong(`${output}Exit code ${code}`);
  },
};

function answer(words: string): ToolAnswer {
  return { text: words, isError: false };
}

function wrong(words: string): ToolAnswer {
  return { text: words, isError: true };
}

function text(input: Readonly<Record<string, unknown>>, field: string): string {
  const value = input[field];
  if (typeof value !== "string") throw new Error(`${field} is not a text`);
  return value;
}

function run(
  file: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (data) => {
      stdout += String(data);
    });
    child.stderr.on("data", (data) => {
      stderr += String(data);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
