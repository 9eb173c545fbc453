import { dirname, join } from "node:path";
import { type AnyMessage, blocksOf, textOfBlock } from "../checks/conversation.ts";
import { effectCommand } from "../checks/effects.ts";
import { read, type Stages, type Step, token, type Written } from "../cli-crash/play.ts";
import { agent, bash } from "../play.ts";
import type { Seeded } from "../seeded.ts";

/** Agents that write to one shared file, each at its own place. */
const SHARING = 30;
/** Agents of one reply of the main conversation. */
const WAVE = 100;

export interface FleetPlay {
  readonly parts: ReadonlyMap<string, Stages>;
  /** Lines that must be in the checkout at the end, each once. */
  readonly written: readonly Written[];
  /** How many agents end in each way. */
  readonly agents: ReadonlyMap<string, "done" | "cancelled" | "poison">;
}

export interface FleetPlayOptions {
  readonly agents: number;
  readonly log: string;
  readonly random: Seeded;
  /** Most steps of an agent. */
  readonly steps: number;
}

export function sharedName(n: number): string {
  return `shared-${Math.floor(n / SHARING)}.txt`;
}

/** The shared files as they are at the beginning: a place for each agent, far enough from the next one that merges do not meet. */
export function sharedFiles(agents: number): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (let n = 0; n < agents; n += 1) {
    const name = sharedName(n);
    files.set(name, `${files.get(name) ?? ""}w${n}:\n${"-\n".repeat(5)}`);
  }
  return files;
}

/**
 * A main conversation that starts agents in waves: most write files and run commands, one in 25 starts another agent, one in 40 is
 * cancelled while it works, and three kill their runner with each of their commands.
 */
export function fleetPlay({ agents, log, random, steps }: FleetPlayOptions): FleetPlay {
  const parts = new Map<string, Stages>();
  const written: Written[] = [];
  const ends = new Map<string, "done" | "cancelled" | "poison">();
  const waves: Step[][] = [];
  for (let from = 0; from < agents; from += WAVE) {
    const wave: Step[] = [];
    for (let n = from; n < Math.min(agents, from + WAVE); n += 1) {
      const name = `w${n}`;
      const kind = kindOf(n);
      ends.set(name, kind === "nested" ? "done" : kind);
      wave.push({
        call: agent(name, { ...WORKER, ...(kind === "cancelled" ? { run_in_background: true } : {}) }),
      });
      if (kind === "poison")
        parts.set(
          name,
          [1, 2, 3].map((time) => [killsItsRunner(`${name}.${time}`, log)]),
        );
      else if (kind === "cancelled")
        parts.set(name, [[token(`${name}.0`, log)], [waitsLong(`${name}.1`, log)]]);
      else {
        const stages = work(n, random.between(2, steps));
        if (kind === "nested") {
          const child = `n${n}`;
          ends.set(child, "done");
          parts.set(child, [[token(`${child}.0`, log)], [token(`${child}.1`, log)]]);
          stages.splice(1, 0, [{ call: agent(child, WORKER) }]);
        }
        parts.set(name, stages);
      }
    }
    waves.push(wave);
    const cancelled = wave.flatMap((_, place) =>
      kindOf(from + place) === "cancelled" ? [`w${from + place}`] : [],
    );
    if (cancelled.length > 0)
      waves.push(
        cancelled.map((name) => ({
          call: (messages) => ({ name: "TaskStop", input: { task_id: startedAs(name, messages) } }),
        })),
      );
  }
  parts.set("main", [[token("main.0", log)], ...waves, [token("main.1", log)]]);
  return { parts, written, agents: ends };

  function work(n: number, count: number): Step[][] {
    const name = `w${n}`;
    const own = `own/${name}.txt`;
    const note = (file: string, text: string) => {
      written.push({ part: name, file, line: text });
      return { file, text };
    };
    const into = (file: string, after: string, text: string): Step => ({
      call: {
        name: "Edit",
        input: { file_path: file, old_string: `${after}\n`, new_string: `${after}\n${text}\n` },
      },
      proof: note(file, text),
    });
    const content = `top of ${name}\n${name} begins\n`;
    const stages: Step[][] = [
      [{ call: { name: "Write", input: { file_path: own, content } }, proof: note(own, `${name} begins`) }],
    ];
    for (let step = 0; step < count; step += 1) {
      const sort = random.between(0, 3);
      if (sort === 0) stages.push([into(own, `top of ${name}`, `${name} inserts ${step}`)]);
      if (sort === 1)
        stages.push([read(sharedName(n))], [into(sharedName(n), `${name}:`, `${name} shares ${step}`)]);
      if (sort === 2) stages.push([token(`${name}.${step}`, log), token(`${name}.${step}.b`, log)]);
      if (sort === 3) stages.push([{ call: bash(effectCommand(`${name}.${step}`, log, "sleep 1; ")) }]);
    }
    return stages;
  }
}

const WORKER = { subagent_type: "general-purpose", isolation: "worktree" };

function kindOf(n: number): "done" | "nested" | "cancelled" | "poison" {
  if (n % 100 === 13) return "poison";
  if (n % 40 === 7) return "cancelled";
  return n % 25 === 3 ? "nested" : "done";
}

function waitsLong(name: string, log: string): Step {
  return { call: bash(effectCommand(name, log, "sleep 600; ")) };
}

/** A program that kills the runner above it. A user's rule must allow it: no hook may allow what cannot be analysed. */
export const RUNNER_KILLER = `#!/bin/sh
p=$PPID
while [ "$p" -gt 1 ]; do
  if tr '\\0' ' ' </proc/$p/cmdline | grep -q '^troupe runner'; then kill -9 $p; fi
  p=$(sed 's/.*) //' /proc/$p/stat | cut -d' ' -f2)
done
sleep 5
`;

/** It leaves its token first, so that it is seen whether it ran twice. */
function killsItsRunner(name: string, log: string): Step {
  return { call: bash(`${effectCommand(name, log)}; ${killerNextTo(log)}`) };
}

/** Where the program is, by the log of effects. */
export function killerNextTo(log: string): string {
  return join(dirname(log), "kill-runner.sh");
}

/** The ID that the result of an Agent call in the background names. */
function startedAs(name: string, messages: readonly AnyMessage[]): string {
  const blocks = messages.flatMap(blocksOf);
  const call = blocks.find(
    ({ type, input }) => type === "tool_use" && JSON.stringify(input).includes(`"part ${name}"`),
  );
  const result = blocks.find((block) => block["tool_use_id"] === call?.["id"]);
  return /\b(?:Agent|agent|task) (\w{16})\b/.exec(result ? textOfBlock(result) : "")?.[1] ?? "nobody";
}
