import type { WriteLedger } from "../features/file-locks/write-ledger.ts";
import type { Gate, Gated } from "../features/gate/gate.ts";
import { refusalOf } from "../features/gate/refusal.ts";
import { writeScope } from "../features/gate/write-scope.ts";
import { type HookSide, hasPostToolHooks, runPostToolUse } from "../features/hooks/tool-hooks.ts";
import type { Isolation } from "../features/isolation/isolation.ts";
import type { Radar } from "../features/overlap/session-radar.ts";
import type { Journal } from "../journal/journal.ts";
import type { EditWatch } from "../lsp/edit-watch.ts";
import type { Clock } from "../mailbox/clock.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type {
  Access,
  AfterAnswer,
  AfterCall,
  BeforeCall,
  Call,
  CallDecision,
  CallResult,
} from "../mailbox/messages.ts";
import type { Rule } from "../settings/rules.ts";
import type { InvalidCall, ReadyCall } from "../tools/bind-tool.ts";
import { appended, find, noSuchTool, notRun, refused } from "../tools/dispatch.ts";
import { runTimed } from "../tools/timed-call.ts";
import type { CallContext } from "../tools/tool.ts";
import type { ActorRecord, RunningCall } from "./actor-record.ts";
import type { KnownTool, Toolbox } from "./toolbox.ts";

/** What the calls of one actor may reach of the session. */
export interface CallSide extends HookSide {
  readonly toolbox: Toolbox;
  readonly gate: Pick<Gate, "judge" | "recheck" | "filterResults" | "filters">;
  readonly journal: Pick<Journal, "append" | "note">;
  readonly writes: WriteLedger;
  readonly isolation: Pick<Isolation, "trees" | "lookAgain">;
  readonly radar: Pick<Radar, "claim" | "wrote">;
  /** Hears of files that calls write, and has something to say of them. */
  readonly languages: EditWatch;
  changed(): void;
  denied(call: Call): void;
  /** Why a tool of an MCP server was not offered to it, in sentences for its model; null: nothing is known of that. */
  whyAbsent(tool: string): string | null;
  /** The agent whose report is to be in this file, and that still works; null: there is none. */
  reportDue(path: string): ActorId | null;
  /** Rules that hold for this actor alone. */
  lent(): readonly Rule[];
  now(): number;
  readonly clock: Pick<Clock, "after">;
  /** Told to the user, in a sentence. */
  onWarning(message: string): void;
}

/** The calls of one actor: whether each may run, what it came to, and those of tools that live here. */
export interface AgentCalls {
  /** A call that is about to run in the agent's own thread. */
  before(call: BeforeCall): Promise<CallDecision>;
  after(call: AfterCall): Promise<AfterAnswer>;
  /** A call of a tool on this side. */
  callTool(call: Call): Promise<CallResult>;
  /** Of what a running search found, what its agent may not be told of. */
  hidden(call: Call["id"], paths: readonly string[]): string[];
}

const NOT_RUN = String(notRun.content);

/** Each call passes here before it runs, and again when it has ended, whichever side its tool lives on. */
export function agentCalls(actor: ActorRecord, side: CallSide): AgentCalls {
  const { journal, toolbox } = side;

  /** A thread is not believed in what it was given: only what its spec offers exists for it. */
  const offered = (name: string) => {
    const offer = find(actor.spec.tools, name);
    return offer && toolbox.find(offer.name);
  };

  /** What a call has written in a tree is kept by a snapshot, which the next one that writes waits for (D9). */
  const saved = (running: RunningCall | undefined): void => {
    const held = side.isolation.trees.at(actor.root);
    if (running === undefined || running.writes?.length === 0) return;
    const { input, writes, tool } = running;
    if (writes !== null) side.languages.wrote(writes, actor.root);
    // In a tree the snapshot says what was written, by commands too.
    if (held === null) {
      // An actor that has ended has given its files up.
      if (actor.child.state !== "ended") side.radar.wrote(actor.id, writes ?? []);
      return;
    }
    const command =
      tool === "Bash" && typeof input === "object" && input !== null ? Reflect.get(input, "command") : null;
    side.isolation.trees.wrote(held, {
      ...{ actor: actor.id, files: writes },
      command: typeof command === "string" ? command : null,
    });
  };

  const warnOfOverdue = ({ tool }: RunningCall): void => {
    const after = (toolbox.find(tool)?.timeoutMs ?? 0) / 1_000;
    const agent = `${actor.spec.type} "${actor.spec.description}"`;
    side.onWarning(
      `${tool}, called by ${agent}, did not return within ${after} s. Its signal was aborted, and the agent continues without its result.`,
    );
  };

  /** The call is over for the journal and for everybody who watches; its files are its own until `released`. */
  const ended = (call: Call["id"], isError: boolean, result?: CallResult): void => {
    journal.note({ type: "after", actor: actor.id, call, isError, ...(result ? { result } : {}) });
    actor.calls.delete(call);
    side.changed();
  };

  /** Also a call that failed may have written. */
  const released = (call: Call["id"], running: RunningCall | undefined, isError: boolean): void => {
    side.writes.release(call, actor.id, !isError);
    saved(running);
  };

  const after = (call: Call["id"], isError: boolean, result?: CallResult): void => {
    const running = actor.calls.get(call);
    ended(call, isError, result);
    released(call, running, isError);
  };

  const territory = () => ({
    ...writeScope(actor, side.isolation.trees.at(actor.root)?.tree ?? null),
    lent: side.lent(),
  });

  const gated = async (tool: KnownTool, call: Call, cwd: string): Promise<Gated> => {
    const given = { actor: actor.id, call, tool, cwd, territory: territory() };
    const judged = await side.gate.judge(given, side.signal);
    if (judged.type === "refuse") side.denied(call);
    if (judged.type === "refuse" && judged.stop !== undefined) side.halt(judged.stop);
    const { by, reason, rule, tier } = judged;
    const record = {
      type: "before",
      actor: actor.id,
      call: call.id,
      tool: tool.offer.name,
      input: judged.type === "go" ? judged.input : call.input,
      decision: judged.type,
      ...{ by, reason },
      ...(rule === undefined ? {} : { rule }),
      ...(tier === undefined ? {} : { tier }),
    } as const;
    // A pure read may run again after a crash; anything else is durable before it happens (A22.29).
    if (tool.level === "read" || judged.type === "refuse") journal.note(record);
    else await journal.append(record);
    // Judging and the disk take time, in which the agent may have been stopped.
    if (judged.type === "refuse" || !isStopped(actor)) return judged;
    after(call.id, true);
    return { type: "refuse", by: "stop", reason: "it was stopped before this call" };
  };

  const busyWith = (
    { id, toolUse }: Call,
    tool: KnownTool,
    { input, outside, light, context }: Extract<Gated, { type: "go" }>,
    { title, cwd, writes }: Pick<RunningCall, "title" | "cwd" | "writes">,
  ) => {
    const [first = tool.offer.name, ...others] = tool.names;
    const hooked = { names: [first, ...others] as const, input, toolUseId: toolUse };
    const running: RunningCall = {
      tool: tool.offer.name,
      // In the tree a path need not say where everybody is.
      title: title.replaceAll(`${actor.root}/`, ""),
      local: tool.offer.side === "agent",
      ...(tool.timeoutMs === undefined ? {} : { timeoutMs: tool.timeoutMs }),
      startedAt: side.now(),
      ...{ input, cwd, outside, hooked, writes },
      ...(light === undefined ? {} : { light }),
      ...(context === undefined ? {} : { context }),
    };
    actor.calls.set(id, running);
    side.changed();
    return running;
  };

  /** Two calls that write the same file come one after the other, and the later one is told of the earlier. */
  const turnToWrite = async (id: Call["id"], accesses: readonly Access[]): Promise<CallDecision> => {
    const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
    if (targets.length === 0) return { type: "go" };
    const writer = { actor: actor.id, description: actor.spec.description };
    const lastWriters = await side.writes.hold(id, writer, targets, side.signal);
    if (lastWriters !== null) return { type: "go", lastWriters };
    after(id, true);
    return { type: "refuse", reason: NOT_RUN };
  };

  /** Where files are leased, an agent writes only to what no other one at work has; null: it may. */
  const toItself = async (id: Call["id"], writes: readonly string[] | null): Promise<string | null> => {
    if (writes === null || writes.length === 0) return null;
    const refusal = async () => {
      const claim = await side.radar.claim(actor.id, writes, side.signal);
      return claim.type === "go" ? side.isolation.lookAgain(actor, writes) : claim.reason;
    };
    try {
      const reason = await refusal();
      if (reason !== null) after(id, true);
      return reason;
    } catch (error) {
      after(id, true);
      throw error;
    }
  };

  const callHere = async (
    call: Call,
    tool: KnownTool,
    prepare: (input: unknown) => ReadyCall<CallContext> | InvalidCall,
  ): Promise<CallResult> => {
    const { cwd, place } = actor;
    const judged = await gated(tool, call, cwd);
    if (judged.type === "refuse") return refused(refusalOf(tool.offer.name, judged));
    const ready = prepare(judged.input);
    if (ready.type === "invalid") return refused(ready.message);
    const writes = tool.level === "read" ? [] : null;
    if (writes === null) await side.isolation.trees.at(actor.root)?.settled;
    const running = busyWith(call, tool, judged, { title: ready.title, cwd, writes });
    let result: CallResult;
    let response: unknown;
    try {
      const run = (signal: AbortSignal) => ready.call({ call: call.id, actor: actor.id, cwd, signal });
      const { timeoutMs } = tool;
      const end = await (timeoutMs === undefined
        ? run(side.signal)
        : runTimed(call.tool, timeoutMs, side, run));
      if (end.overdue) warnOfOverdue(running);
      ({ response, ...result } = end);
      if (actor.place !== null && actor.place !== place) result = { ...result, moved: actor.place };
      after(call.id, result.isError, tool.repeatable ? undefined : result);
    } catch (error) {
      after(call.id, true);
      throw error;
    }
    if (!hasPostToolHooks(running, side)) return result;
    const { append } = await runPostToolUse(running, { ...result, response }, side);
    return append === undefined ? result : appended(result, append);
  };

  const before = async (call: BeforeCall): Promise<CallDecision> => {
    if (isStopped(actor)) return { type: "refuse", reason: NOT_RUN };
    const tool = offered(call.tool);
    if (!tool) return { type: "refuse", reason: notOffered(call.tool) };
    const { cwd } = call;
    const asked = tool.prepare(call.input);
    if (asked.type === "invalid") return { type: "refuse", reason: asked.message };
    const judged = await gated(tool, call, cwd);
    if (judged.type === "refuse") return { type: "refuse", reason: refusalOf(tool.offer.name, judged) };
    const claim = judged.rewritten ? tool.prepare(judged.input) : asked;
    if (claim.type === "invalid") return { type: "refuse", reason: claim.message };
    const accesses = claim.accesses(cwd);
    const [due] = accesses.flatMap(({ target }) => side.reportDue(target) ?? []);
    if (due !== undefined) {
      after(call.id, true);
      return { type: "refuse", reason: notWrittenYet(due) };
    }
    const writes = writesOf(tool, accesses);
    if (writes !== null) side.languages.willWrite(writes);
    const running = busyWith(call, tool, judged, { title: claim.title, cwd, writes });
    const claimed = await toItself(call.id, writes);
    if (claimed !== null) return { type: "refuse", reason: claimed };
    const turn = await turnToWrite(call.id, accesses);
    if (turn.type === "refuse") return turn;
    // What was written before is saved before anything is written over it.
    if (writes?.length !== 0) await side.isolation.trees.at(actor.root)?.settled;
    // Waiting takes time, in which plan mode or a rule may have come.
    const same = { tool: tool.offer.name, input: judged.input, cwd, territory: territory() };
    const now = side.gate.recheck(same, judged.light !== undefined);
    if (now.type === "deny") {
      after(call.id, true);
      return {
        type: "refuse",
        reason: refusalOf(tool.offer.name, { type: "refuse", by: "rules", reason: now.reason }),
      };
    }
    return {
      ...turn,
      ...(judged.rewritten ? { input: judged.input } : {}),
      ...(hasPostToolHooks(running, side) || side.languages.watches(writes ?? [], actor.root)
        ? { watched: true as const }
        : {}),
      ...(tool.repeatable ? {} : { kept: true as const }),
      ...(judged.changed === undefined ? {} : { changed: [...judged.changed] }),
      ...(tool.level === "read" && side.gate.filters ? { filtered: true as const } : {}),
    };
  };

  const callTool = async (call: Call): Promise<CallResult> => {
    if (isStopped(actor)) return notRun;
    const tool = offered(call.tool);
    if (!tool || call.absent) return refused(side.whyAbsent(call.tool) ?? noSuchTool(call.tool));
    if (!tool.here) return refused(`${call.tool} does not run on the supervisor's side.`);
    const { here } = tool;
    const ready = here.prepare(call.input);
    if (ready.type === "invalid") return refused(ready.message);
    return callHere(call, tool, (input) => here.prepare(input));
  };

  return {
    before,
    async after({ id, isError, result, response, overdue }) {
      const running = actor.calls.get(id);
      if (running && overdue) warnOfOverdue(running);
      const kept = running !== undefined && toolbox.find(running.tool)?.repeatable === false;
      ended(id, isError, kept ? result : undefined);
      try {
        if (running === undefined || result === undefined) return {};
        const said = hasPostToolHooks(running, side)
          ? await runPostToolUse(running, { ...result, response }, side)
          : {};
        if (isError) return said;
        const { writes, cwd } = running;
        const problems = await side.languages.problems(writes ?? [], { root: actor.root, cwd }, side.signal);
        const append = [said.append, problems].filter((text) => text != null).join("\n\n");
        return append === "" ? said : { ...said, append };
      } finally {
        // Hooks may write the call's files, too: nobody else does meanwhile.
        released(id, running, isError);
      }
    },
    callTool,
    hidden(call, paths) {
      const running = actor.calls.get(call);
      if (running === undefined) throw new Error(`The call ${call} is not running.`);
      return side.gate.filterResults(paths, { cwd: running.cwd, territory: territory() });
    },
  };
}

/** What a call in the agent's thread may write to: nothing, these files, or (null) anything. */
function writesOf({ level }: KnownTool, accesses: readonly Access[]): readonly string[] | null {
  if (level === "read") return [];
  const targets = accesses.flatMap(({ kind, target }) => (kind === "write" ? [target] : []));
  return level === "write" && targets.length > 0 ? targets : null;
}

function notWrittenYet(agent: ActorId): string {
  return `This file has not been written yet: agent ${agent} still works, and you are told when its report is there. To see how it stands, call TaskOutput with task_id ${JSON.stringify(agent)} and block: false.`;
}

/** The letter that stops an agent travels on another lane, so its next call may come first. */
export function isStopped({ child }: Pick<ActorRecord, "child">): boolean {
  return child.state === "cancelling" || child.state === "ended";
}

function notOffered(name: string): string {
  return `This agent has no tool ${JSON.stringify(name)}.`;
}
