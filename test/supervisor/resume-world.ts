import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import * as z from "zod/mini";
import type { SupervisorEvent } from "../../src/events/event.ts";
import { journalFile } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import type { JournalRecord } from "../../src/journal/session-events.ts";
import { type SessionState, sessionStateOf } from "../../src/journal/session-state.ts";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import type { ActorId, SessionId } from "../../src/mailbox/ids.ts";
import { blocksOf, conversationOf } from "../../src/mailbox/turns.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { type Script, type ScriptedModel, scriptedModel } from "../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { resumeSession } from "../../src/session/resume-session.ts";
import { Supervisor } from "../../src/session/supervisor.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { type HostName, hostOf } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A tool with an effect that can be counted: each call leaves its mark. */
export function stamping(marks: string[]) {
  return defineTool({
    runsIn: "caller",
    name: "Stamp",
    description: "Leaves a mark.",
    inputSchema: z.object({ mark: z.string() }),
    permissionLevel: "write",
    call: async ({ mark }) => {
      marks.push(mark);
      return `stamped ${mark}`;
    },
  });
}

/** A kind of agent that has everything, and no words of its own in the way. */
export const worker = {
  name: "worker",
  whenToUse: "never",
  prompt: "You work.",
  tools: "all",
} as const;

/** The text blocks and results of a conversation, in order. */
export function textsIn(messages: readonly MessageParam[]): string {
  return messages
    .flatMap(blocksOf)
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      if (block.type !== "tool_result" || block.content === undefined) return [];
      if (typeof block.content === "string") return [block.content];
      return block.content.flatMap((inner) => (inner.type === "text" ? [inner.text] : []));
    })
    .join("\n");
}

export const textsOf = ({ messages }: ModelRequest): string => textsIn(messages);

export const times = (text: string, part: string): number => text.split(part).length - 1;

/** What it was asked for: the first words of its conversation. */
export function taskOf({ messages }: Pick<ModelRequest, "messages">): string {
  return messages[0] === undefined ? "" : textsIn([messages[0]]);
}

/** Replies so far. */
export function repliesIn({ messages }: Pick<ModelRequest, "messages">): number {
  return messages.filter(({ role }) => role === "assistant").length;
}

/** Why the model could not be sent this, or null: roles alternate, and each call has exactly its one result, right after it. */
export function whyInvalid(messages: readonly MessageParam[]): string | null {
  for (const [place, message] of messages.entries()) {
    if (message.role !== (place % 2 === 0 ? "user" : "assistant")) return `${message.role} at ${place}`;
    const calls = blocksOf(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    if (message.role !== "assistant" || calls.length === 0) continue;
    const next = messages[place + 1];
    const answered = next
      ? blocksOf(next).flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
      : [];
    if (JSON.stringify(answered) !== JSON.stringify(calls))
      return `calls ${calls.join()} at ${place} are answered by ${answered.join()}`;
  }
  return null;
}

export interface World {
  readonly supervisor: Supervisor;
  readonly model: ScriptedModel;
  readonly cwd: string;
  readonly home: string;
  readonly events: SupervisorEvent[];
  readonly warnings: () => string[];
}

export type WorldOptions = Partial<SupervisorOptions> & {
  readonly seed?: number;
  readonly cwd?: string;
  readonly home?: string;
};

/** A session over a scripted model that can be closed and taken up again within one test. */
export function world(host: HostName, script: Script, { seed = 7, ...options }: WorldOptions = {}): World {
  const cwd = options.cwd ?? temporaryFolder();
  const home = options.home ?? temporaryFolder();
  const model = scriptedModel(script);
  const events: SupervisorEvent[] = [];
  const supervisor = new Supervisor({
    source: { provider: "client", client: model },
    agents: [worker],
    permissionMode: "bypassPermissions",
    quoteAboveUsd: 1_000_000,
    ...hostOf(host, seed),
    ...options,
    ...{ cwd, home },
    onEvent(event) {
      events.push(event);
      options.onEvent?.(event);
    },
    limits: { patienceMs: 0, ...options.limits },
  });
  onTestFinished(() => supervisor.close());
  const warnings = () => events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return { supervisor, model, cwd, home, events, warnings };
}

/** The session of `home`, in a process that is new to it. */
export async function takenUp(
  host: HostName,
  script: Script,
  { id, ...options }: WorldOptions & { readonly id: SessionId; readonly home: string },
): Promise<World> {
  const restoring = await resumeSession({ home: options.home, cwd: "/", session: { id } });
  if (restoring.type === "refused") throw new Error(restoring.reason);
  const { session } = restoring;
  return world(host, script, { ...options, cwd: session.cwd, resume: session });
}

/** A whole session, closed; its journal can be cut anywhere. */
export interface Recorded {
  readonly id: SessionId;
  readonly home: string;
  readonly folder: string;
  readonly lines: readonly string[];
}

export function recorded({ supervisor, home }: World): Recorded {
  const lines = readFileSync(journalFile(supervisor.folder), "utf8").trimEnd().split("\n");
  return { id: supervisor.session, home, folder: supervisor.folder, lines };
}

/** A home in which that session has written its first `count` records, and perhaps a piece of the next one. */
export function cutAfter({ home, folder, lines }: Recorded, count: number, torn = ""): string {
  const copy = temporaryFolder("troupe-cut-");
  const file = journalFile(join(copy, relative(home, folder)));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  copyFileSync(journalFile(folder), file);
  writeFileSync(file, `${lines.slice(0, count).join("\n")}\n${torn}`);
  return copy;
}

export function recordsOf(lines: readonly string[]): JournalRecord[] {
  return lines.map((line) => JSON.parse(line) as JournalRecord);
}

export async function journalOf({ supervisor }: World): Promise<readonly JournalRecord[]> {
  const reading = await readJournal(journalFile(supervisor.folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  return reading.records;
}

/** What has been promised of any session that is over, whatever happened to it; the sentences say what is broken. */
export function broken(records: readonly JournalRecord[]): string[] {
  const state = sessionStateOf(records);
  return [
    ...unended(state),
    ...invalid(state),
    ...resultsNotOnce(records, state),
    ...summariesNotOnce(records),
    ...attemptsNotOnce(records),
  ];
}

function unended({ actors }: SessionState): string[] {
  return [...actors.values()].flatMap(({ spec, summary }) =>
    summary === null ? [`${spec.id} has no summary`] : [],
  );
}

function invalid({ actors }: SessionState): string[] {
  return [...actors.values()].flatMap(({ spec, turns }) => {
    const why = whyInvalid(conversationOf(spec.messages, turns));
    return why === null ? [] : [`the conversation of ${spec.id}: ${why}`];
  });
}

/** Each result of a run in the background was heard once, by one; each of a run in front by its call. */
function resultsNotOnce(records: readonly JournalRecord[], { actors }: SessionState): string[] {
  const heard = [...actors.values()].flatMap(({ turns }) =>
    turns.flatMap((turn) => turn.heard.flatMap(({ of = [] }) => of)),
  );
  const background = new Map<ActorId, boolean>();
  const wanted: string[] = [];
  for (const { event } of records) {
    if (event.type === "spawn") background.set(event.spec.id, event.background ?? false);
    if (event.type === "reopen") background.set(event.actor, event.background ?? false);
    if (event.type === "summary" && background.get(event.actor))
      wanted.push(`result:${event.actor}.${event.run ?? 1}`);
  }
  const twice = heard.filter((id, place) => heard.indexOf(id) !== place);
  return [
    ...wanted.filter((id) => !heard.includes(id)).map((id) => `${id} was never heard`),
    ...twice.map((id) => `${id} was heard twice`),
  ];
}

/** An attempt's number is its fence: no two loops may have the same. */
function attemptsNotOnce(records: readonly JournalRecord[]): string[] {
  const last = new Map<ActorId, number>();
  return records.flatMap(({ event }) => {
    if (event.type !== "start") return [];
    const before = last.get(event.actor) ?? 0;
    last.set(event.actor, event.attempt);
    return event.attempt > before ? [] : [`attempt ${event.attempt} of ${event.actor} came after ${before}`];
  });
}

function summariesNotOnce(records: readonly JournalRecord[]): string[] {
  const names = records.flatMap(({ event }) =>
    event.type === "summary" ? [`${event.actor}.${event.run ?? 1}`] : [],
  );
  return names
    .filter((name, place) => names.indexOf(name) !== place)
    .map((name) => `two summaries of ${name}`);
}
