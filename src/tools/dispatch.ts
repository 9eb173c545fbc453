import { errorMessage } from "../lib/errors.ts";
import { formatNumber } from "../lib/text.ts";
import type { HookChange } from "../mailbox/calls.ts";
import type { ToolUseBlock } from "../mailbox/conversation.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { AgentTool, CallResult } from "../mailbox/messages.ts";
import type { Services } from "../mailbox/services.ts";
import type { Location } from "../mailbox/worktree.ts";
import { cutAt, invalidInput } from "../model/invalid-input.ts";
import type { ReadyCall, SealedTool, ToolEnd } from "./bind-tool.ts";
import type { ReadLedger } from "./read-ledger.ts";
import type { AgentCallContext } from "./tool.ts";
import { nameOfCall, resolveCall, SEARCH, unresolvedCall } from "./tool-search.ts";

export interface Dispatch {
  /** The agent's tools, in the order of the request. */
  readonly offered: readonly AgentTool[];
  readonly own: OwnTools;
  readonly services: Pick<Services, "before" | "after" | "callTool" | "hidden">;
  readonly signal: AbortSignal;
  /** A call has moved the agent to another directory. */
  moved(place: Location): void;
  /** What a call gets, at the moment it starts. */
  context(call: CallId): AgentCallContext;
}

/** Returns the implementation of one of an agent's own tools. */
export type OwnTools = (
  tool: Pick<AgentTool, "name" | "module">,
) => Pick<SealedTool<AgentCallContext>, "prepare"> | undefined;

/** Returns the offered tool of this name or alias. */
export function find(offered: readonly AgentTool[], name: string): AgentTool | undefined {
  return offered.find((tool) => tool.name === name || tool.aliases.includes(name));
}

/**
 * Runs one call (A5.1): find, validate, ask, run, report. Every failure is a result that says what to do next (A1.18); it
 * rejects only if the signal is aborted before there is a result.
 */
export async function dispatch(id: CallId, block: ToolUseBlock, by: Dispatch): Promise<CallResult> {
  const called = find(by.offered, block.name);
  if (!called) return (await absentTool(id, block, by)) ?? unknownTool(noSuchTool(block.name), by.offered);
  const cut = cutAt(block);
  if (cut !== null) return refusedCall(cutMessage(called.name, cut));
  const broken = invalidInput(block);
  if (broken !== null)
    return refusedCall(`The input of ${called.name} is not valid JSON: ${broken}. Send the call again.`);
  const resolved = resolveCall(block, by.offered);
  if (!resolved)
    return (await absentTool(id, block, by)) ?? refusedCall(unresolvedCall(block.input, by.offered));
  const { tool, input } = resolved;
  const context = by.context(id);
  try {
    const result =
      tool.side === "supervisor"
        ? await by.services.callTool({ id, toolUse: block.id, tool: tool.name, input })
        : await runHere(id, tool, { id: block.id, input }, context, by);
    if (result.moved) by.moved(result.moved);
    // Returned even if the signal is aborted by now: a known result must not become unknown.
    return wellFormed(result);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return wrong(`${tool.name} failed: ${errorMessage(error)}`);
  }
}

async function runHere(
  id: CallId,
  offer: AgentTool,
  { id: toolUse, input }: Pick<ToolUseBlock, "id" | "input">,
  context: AgentCallContext,
  { own, services }: Dispatch,
): Promise<CallResult> {
  const { name } = offer;
  const tool = own(offer);
  if (!tool) return refusedCall(`${name} cannot run here. Use another tool.`);
  let call = tool.prepare(input);
  if (call.type === "invalid") return refusedCall(call.message);
  const decision = await services.before({ id, toolUse, tool: name, input, cwd: context.cwd });
  if (decision.type === "refuse") return refusedCall(decision.reason);
  if (context.signal.aborted) return notRun;
  if (decision.input !== undefined) call = tool.prepare(decision.input);
  if (call.type === "invalid")
    return refusedCall(`A hook rewrote the input, and it no longer fits. ${call.message}`);
  const { lastWriters = [], additionalDirs = context.additionalDirs, watched, filtered, changed } = decision;
  const hidden: AgentCallContext["hidden"] = filtered
    ? async (paths) => new Set(await services.hidden({ call: id, paths: [...paths] }))
    : context.hidden;
  const before = learnHookChanges(context.reads, changed);
  const { response, ...result } = await settled(name, call, {
    ...context,
    additionalDirs,
    lastWriters,
    hidden,
  });
  const { isError, overdue } = result;
  const more = { ...(overdue ? { overdue } : {}), ...(response === undefined ? {} : { response }) };
  const ended = { id, isError, result, ...more };
  if (watched) {
    const answer = await services.after(ended);
    const after = learnHookChanges(context.reads, answer.changed);
    const notes = [...before, ...(answer.append === undefined ? [] : [answer.append]), ...after];
    return notes.length === 0 ? result : appended(result, notes.join("\n\n"));
  }
  // No reply is needed; the next request finds out if the supervisor has ended.
  services.after(ended).catch(() => {});
  return before.length === 0 ? result : appended(result, before.join("\n\n"));
}

/**
 * Updates what an agent knows of files that hooks of its call changed (A22.32), and returns texts for it. A file that it
 * had not seen before the change stays unseen.
 */
function learnHookChanges(reads: ReadLedger, changes: readonly HookChange[] = []): string[] {
  return changes.flatMap(({ event, before, now, diff }) => {
    const known = reads.get(now.path);
    const { size, mtimeMs, inode } = before;
    if (known?.size !== size || known.mtimeMs !== mtimeMs || known.inode !== inode) return [];
    reads.record(now);
    if (diff === "") return [];
    const frame = `[${now.path} was changed while the ${event} hooks of this call ran. You can edit it without reading it again. What changed:]`;
    return `${frame}\n${diff}`;
  });
}

async function settled(
  name: string,
  call: ReadyCall<AgentCallContext>,
  context: AgentCallContext,
): Promise<ToolEnd> {
  try {
    return await call.call(context);
  } catch (error) {
    context.signal.throwIfAborted();
    return wrong(`${name} failed: ${errorMessage(error)}`);
  }
}

/** Tools that not every session has. */
const MAY_BE_ABSENT = /^(?:mcp__|(?:WebSearch|LSP|Cron(?:Create|List|Delete)|ScheduleWakeup)$)/;

/** Asks the supervisor why such a tool is absent; null if the call is not of such a tool. */
async function absentTool(
  id: CallId,
  block: ToolUseBlock,
  { services, offered, signal }: Dispatch,
): Promise<CallResult | null> {
  const tool = nameOfCall(block);
  if (!MAY_BE_ABSENT.test(tool) || find(offered, tool) !== undefined) return null;
  try {
    const { content } = await services.callTool({ id, toolUse: block.id, tool, input: {}, absent: true });
    return typeof content === "string" ? unknownTool(content, offered) : null;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

export function noSuchTool(name: string): string {
  return `There is no tool named ${JSON.stringify(name)} here.`;
}

function unknownTool(why: string, offered: readonly AgentTool[]): CallResult {
  const names = offered.filter(({ deferred }) => !deferred).map((tool) => tool.name);
  const more = names.length < offered.length ? `; others are found by ${SEARCH}` : "";
  return refusedCall(`${why} Available: ${names.join(", ") || "none"}${more}.`);
}

/** The result of a call before which the agent was stopped. */
export const notRun: CallResult = refusedCall("Not run: the agent was stopped before this call.");

function wrong(message: string): CallResult {
  return { content: message, isError: true };
}

/** The result of a call that has not run. */
export function refusedCall(message: string): CallResult {
  return { ...wrong(message), refused: true };
}

/** A lone surrogate would make the next request invalid (fault 30). */
function wellFormed({ content, ...rest }: CallResult): CallResult {
  if (typeof content === "string") return { ...rest, content: content.toWellFormed() };
  return {
    ...rest,
    content: content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.toWellFormed() } : block,
    ),
  };
}

/** Returns a result with one more text. */
export function appended({ content, ...rest }: CallResult, text: string): CallResult {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : [...content];
  return { ...rest, content: [...blocks, { type: "text", text }] };
}

/** Without advice a model sends the same call again. */
function cutMessage(tool: string, tokens: number): string {
  const limit = formatNumber(tokens);
  return `Nothing was run: your reply was cut at ${limit} tokens, inside this call of ${tool}, so its input is incomplete. Do not send all of it again. Work in parts, one call per reply and each well below that limit: create a file with its first part with Write, then add the next parts with Edit.`;
}
