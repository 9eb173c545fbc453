// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import { conversationNow, sessionStateOf } from "../../../src/journal/session-state.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { isSummaryRequest, stepIn, tokensIn, windowed } from "./compacting-sessions.ts";

const window = (tokens: number) => () => ({ tokens, compactAt: 0.9, auto: true });
const note = defineTool({
  runsIn: "caller",
  name: "Note",
  description: "Notes a step.",
  inputSchema: z.object({ step: z.string() }),
  permissionLevel: "read",
  call: async ({ step }) => `${step} `.repeat(60),
});
/** One that takes so many steps and says what it was asked. */
const stepping =
  (steps: number) => (request: Parameters<typeof tokensIn>[0] & { withoutTools?: boolean }) => {
    const usage = { input_tokens: tokensIn(request), output_tokens: 10 };
    if (isSummaryRequest(request)) return { text: `Got to step-${stepIn(request)}-.`, usage };
    const step = stepIn(request);
    if (step >= steps || request.withoutTools) {
      const task = /task (\w+)/.exec(JSON.stringify(request.messages[0]))?.[1];
      return { text: `finished ${task}`, usage };
    }
    return { calls: [{ name: "Note", input: { step: `step-${step + 1}-` }, id: `n${step}` }], usage };
  };

describe.each(everyDayHosts)("agents in small windows, %s", (name) => {
  test("8 agents whose windows hold a few turns finish, each with its own task, while their parent has a large one (C24, A19.5)", {
    tags: ["long"],
    timeout: 60_000,
  }, async () => {
    const sizes: number[] = [];
    const summaries = new Set<string>();
    const step = stepping(25);
    const host = windowed(name, ({ parent }) => window(parent === null ? 200_000 : 5_000)());
    const { supervisor } = supervised(
      name,
      (request) => {
        if (request.actor === MAIN) {
          const tasks = Array.from({ length: 8 }, (_, at) => `task t${at}`);
          if (request.messages.length > 1) return { text: JSON.stringify(request.messages.at(-1)) };
          return {
            calls: tasks.map((prompt) => ({
              name: "Agent",
              input: { description: prompt, prompt, subagent_type: "worker" },
            })),
          };
        }
        sizes.push(tokensIn(request));
        if (isSummaryRequest(request)) summaries.add(request.actor);
        return step(request);
      },
      {
        host,
        tools: [note],
        agents: [{ name: "worker", whenToUse: "Works.", prompt: "Work.", tools: ["Note"] }],
      },
    );
    const { summary } = await supervisor.prompt("go");
    for (let at = 0; at < 8; at += 1) expect(summary.text).toContain(`finished t${at}`);
    expect(summaries.size).toBe(8);
    expect(Math.max(...sizes)).toBeLessThan(5_000);
  });

  test("PreCompact hooks run as they are, get what is known, and their text reaches the summary (A5.12, A6.1)", {
    timeout: 60_000,
  }, async () => {
    const cwdFile = "precompact.json";
    const command = `cat > ${cwdFile}; echo Keep the list of steps.`;
    const value = { PreCompact: [{ matcher: "auto", hooks: [{ type: "command", command }] }] };
    const asked: string[] = [];
    const step = stepping(40);
    const { supervisor, cwd } = supervised(
      name,
      (request) => {
        if (isSummaryRequest(request)) asked.push(JSON.stringify(request.messages.at(-1)));
        return step(request);
      },
      {
        host: windowed(name, window(9_000)),
        tools: [note],
        allowedTools: ["Note"],
        disallowedTools: ["Agent", "Bash", "Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep"],
        hooks: [{ scope: "user", file: "/u/settings.json", value }],
      },
    );
    const { summary } = await supervisor.prompt("task x");
    expect(summary).toMatchObject({ status: "done", text: "finished x" });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every((text) => text.includes("Keep the list of steps."))).toBe(true);
    expect(JSON.parse(readFileSync(join(cwd, cwdFile), "utf8"))).toMatchObject({
      hook_event_name: "PreCompact",
      trigger: "auto",
      custom_instructions: "",
      session_id: supervisor.session,
      transcript_path: journalFile(supervisor.folder),
      cwd,
    });
    // What the requests for summaries took is in the books like any other.
    const { usage } = supervisor.usage();
    expect(summary.usage).toEqual(usage);
  });

  test("keeps an elided result whole where the reference says (A19.3), and again in a resumed session", {
    timeout: 60_000,
  }, async () => {
    const long = Array.from({ length: 400 }, (_, line) => `line ${line} of the long one`).join("\n");
    const parts = [271, 141, 11];
    let read: string | undefined;
    const reference = (text: string) => /It is kept in ([^:]+\.md):/.exec(text)?.[1];
    const script = (request: Parameters<typeof tokensIn>[0]) => {
      const usage = { input_tokens: tokensIn(request), output_tokens: 10 };
      const all = JSON.stringify(request.messages);
      if (isSummaryRequest(request)) return { text: "A summary.", usage };
      if (all.includes('"again"')) return { text: "read it again", usage };
      const path = reference(all);
      if (path !== undefined) {
        read = path;
        return { calls: [{ name: "Read", input: { file_path: path, offset: 120 }, id: "again" }], usage };
      }
      const step = stepIn(request);
      // One result has at most a share of the window, so that only several of them are worth taking out.
      const part = parts.findIndex((_, at) => !all.includes(`"part-${at}"`));
      const offset = parts[part];
      if (offset !== undefined) {
        const input = { file_path: join(cwd, "long.txt"), offset, limit: 130 };
        return { calls: [{ name: "Read", input, id: `part-${part}` }], usage };
      }
      return { calls: [{ name: "Note", input: { step: `step-${step + 1}-` }, id: `n${step}` }], usage };
    };
    const { supervisor, cwd, home } = supervised(name, script, {
      host: windowed(name, window(14_000)),
      files: { "long.txt": long },
      tools: [note],
      disallowedTools: ["Agent", "Bash", "Write", "Edit", "NotebookEdit", "Glob", "Grep"],
    });
    const { summary } = await supervisor.prompt("task read");
    expect(summary).toMatchObject({ status: "done", text: "read it again" });
    const path = read ?? "";
    expect(path.startsWith(join(supervisor.folder, "outputs"))).toBe(true);
    expect(readFileSync(path, "utf8")).toContain("line 399 of the long one");
    await supervisor.close();
    expect(existsSync(path)).toBe(false);

    const restored = await resumeSession({ home, cwd, session: { id: supervisor.session } });
    if (restored.type === "refused") throw new Error(restored.reason);
    const again = supervised(name, () => ({ text: "here" }), {
      cwd,
      home,
      host: windowed(name, window(14_000)),
      resume: restored.session,
    });
    await again.supervisor.prompt("go on");
    expect(readFileSync(path, "utf8")).toContain("line 399 of the long one");
    // What the model was shown goes on where it was.
    expect(JSON.stringify(again.model.requests[0]?.messages)).toContain(path);
  });

  test("starts a fork with what its parent sees, byte for byte (A11.9)", {
    tags: ["long"],
    timeout: 60_000,
  }, async () => {
    const step = stepping(60);
    const shown: { readonly parent: string[]; fork: string | undefined } = { parent: [], fork: undefined };
    const { supervisor } = supervised(
      name,
      (request) => {
        const all = JSON.stringify(request.messages);
        if (request.actor !== MAIN) {
          shown.fork ??= all;
          return { text: "forked" };
        }
        if (isSummaryRequest(request)) return step(request);
        shown.parent.push(all);
        if (stepIn(request) < 60) return step(request);
        if (all.includes("agent_id")) return { text: "done" };
        const fork = { description: "a fork", prompt: "look", subagent_type: "fork" };
        return { calls: [{ name: "Agent", input: { ...fork, run_in_background: false }, id: "f" }] };
      },
      {
        // So that the fork need not make it smaller once more before its first request.
        host: windowed(name, ({ type }) => window(type === "fork" ? 200_000 : 16_000)()),
        tools: [note],
        disallowedTools: ["Bash", "Read", "Write", "Edit", "NotebookEdit", "Glob", "Grep"],
      },
    );
    await supervisor.prompt("task fork");
    const parent = shown.parent.findLast((all) => shown.fork?.startsWith(all.slice(0, -1)));
    expect(parent?.includes("Got to step-")).toBe(true);
    const reading = await readJournal(journalFile(supervisor.folder));
    if (reading.type === "refused") throw new Error(reading.reason);
    const actors = [...sessionStateOf(reading.records).actors.values()];
    const fork = actors.find(({ spec }) => spec.type === "fork");
    if (!fork) throw new Error("There is no fork.");
    // The journal makes the same of it.
    expect(JSON.stringify(conversationNow({ ...fork, turns: [] })) === shown.fork).toBe(true);
  });
});
