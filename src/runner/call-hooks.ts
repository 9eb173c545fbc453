import { escapeTags } from "../context/escape-tags.ts";
import type { CommandSandbox } from "../features/background/commands.ts";
import { hookNotice } from "../features/hooks/hook-words.ts";
import { runPostToolUse } from "../features/hooks/index.ts";
import type { Clock } from "../lib/clock.ts";
import type { AfterAnswer, AfterCall } from "../mailbox/calls.ts";
import { nameAttempt, type OfferedSpec, type RunnerRules } from "../mailbox/runners.ts";
import type { RunProcess } from "../policy/hooks/hook-process.ts";
import { hookRunner } from "../policy/hooks/hook-runner.ts";
import { type Hooks, parseHooks } from "../policy/hooks/parse-hooks.ts";
import { notStarted, type Processes } from "../processes/processes.ts";
import type { Notice } from "../supervisor/notices.ts";
import type { RunningCall } from "../supervisor/running-call.ts";
import type { AttemptOutputs } from "./attempt-files.ts";

export interface CallHooksParts {
  readonly offer: OfferedSpec;
  /** The runner's name. */
  readonly name: string;
  readonly processes: Pick<Processes, "run">;
  /** In which hooks run if this machine's user has turned it on: the session's own does not hold for hooks. */
  readonly sandbox: CommandSandbox | null;
  readonly outputs: Pick<AttemptOutputs, "events" | "lend">;
  readonly clock: Clock;
  /** Receives sentences for the user. */
  onRemark(sentence: string): void;
  /** Receives what a hook says that nothing waited for. */
  onLater(notice: Notice): void;
  /** Files may be others now. */
  onEnded(): void;
}

/** The commands that the session's settings run after a call, on the machine that has the files. */
export interface CallHooks {
  /** True if one would run after a call of this tool, so that its agent waits for what it says. */
  has(names: readonly string[]): boolean;
  /** Runs them. `stop`: why one ends the conversation. Never rejects. */
  runAfter(call: RunningCall, after: AfterCall, signal: AbortSignal): Promise<HookedEnd>;
  replace(rules: RunnerRules): void;
  /** Ends those that nothing waits for. */
  close(): Promise<void>;
}

export interface HookedEnd {
  readonly answer: AfterAnswer;
  readonly stop?: string;
}

export function openCallHooks(parts: CallHooksParts): CallHooks {
  const { offer, name, clock, outputs } = parts;
  const { spec } = offer;
  let hooks = readHooks(offer.rules);
  let { mode } = offer.rules;
  // Those of skills that it does not use are not sent.
  const skillsNow = () => [...hooks.values()].flat().flatMap(({ skill }) => skill ?? []);
  /** Since the last call: what the agent must know, too. */
  let problems: string[] = [];
  const told = new Set<string>();
  const runner = hookRunner({
    get hooks() {
      return hooks;
    },
    run: (request, signal) => runHeld(parts, request, signal).finally(parts.onEnded),
    // Hooks with a model are the session's.
    models: async () => null,
    session: {
      ...{ id: offer.session, projectDir: spec.root, dir: outputs.events, lend: outputs.lend },
      // The journal is on the session's machine.
      transcriptPath: "/dev/null",
    },
    clock,
    onProblem(message) {
      const sentence = `On runner ${name}, which has the agent's files: ${message}`;
      // Settings are read again when they change, and then a hook is a new one.
      if (told.has(sentence)) return;
      told.add(sentence);
      problems.push(sentence);
      parts.onRemark(sentence);
    },
    onMessage: parts.onRemark,
    onLater: (_, event, text, wakes) =>
      parts.onLater({ ...hookNotice(event, text), ...(wakes ? {} : { isQuiet: true }) }),
  });
  return {
    has: (names) => runner.has("PostToolUse", names) || runner.has("PostToolUseFailure", names),
    async runAfter(call, { result, response }, signal) {
      let stop: string | undefined;
      const answer = await runPostToolUse(
        call,
        { ...result, response },
        {
          ...{ hooks: runner, signal },
          caller: {
            ...{ owner: spec.id, cwd: call.cwd, root: spec.root, permissionMode: mode },
            ...{ agentType: spec.type, skills: skillsNow() },
          },
          halt: (reason) => {
            stop = reason;
          },
        },
      );
      const said = problems.map((one) => `[${escapeTags(one)}]`);
      problems = [];
      const append = [...(answer.append === undefined ? [] : [answer.append]), ...said].join("\n\n");
      return {
        answer: { ...answer, ...(append === "" ? {} : { append }) },
        ...(stop === undefined ? {} : { stop }),
      };
    },
    replace(rules) {
      hooks = readHooks(rules);
      mode = rules.mode;
    },
    close: () => runner.sessionEnd("other", { owner: spec.id, cwd: spec.root, permissionMode: mode }, NEVER),
  };
}

const NEVER = new AbortController().signal;

/** The session has reported what is wrong with them, and runs those with a model. */
function readHooks({ hooks = [] }: RunnerRules): Hooks {
  const all = [...parseHooks(hooks).hooks];
  return new Map(all.map(([event, ofEvent]) => [event, ofEvent.filter(({ type }) => type === "command")]));
}

async function runHeld(
  { processes, sandbox, offer }: CallHooksParts,
  given: Parameters<RunProcess>[0],
  signal: AbortSignal | undefined,
): ReturnType<RunProcess> {
  // Each attempt counts its own.
  const request = { ...given, id: `${nameAttempt(offer)}-${given.id}` };
  if (sandbox === null) return processes.run(request, signal);
  const held = await sandbox.sandbox.prepare(sandbox.place(offer.spec.id));
  if (typeof held === "string") return notStarted(request.id, held);
  try {
    return await processes.run(
      { ...request, env: { ...request.env, ...held.env }, confined: held.confined },
      signal,
    );
  } finally {
    await held.finish();
  }
}
