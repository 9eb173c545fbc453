import { sessionStory } from "../../src/cli/session-story.ts";
import type { JournalRecord } from "../../src/journal/session-events.ts";
import { sessionStateOf } from "../../src/journal/session-state.ts";
import type { RecordedRequest, RequestMessage } from "../support/messages-server.ts";
import { normalise, withoutStalls } from "./normalise.ts";
import type { Played } from "./play.ts";
import type { Session } from "./session.ts";

/** Texts that another golden has in full: by name, in lines. */
export type Known = ReadonlyMap<string, readonly string[]>;

/** All that a session did, as text that stays the same and can be read in a diff. */
export function render(played: Played, { brief, unordered }: Session, known: Known): string {
  const ordered = (text: string) => (unordered ? text.split("\n").sort().join("\n") : text);
  const parts = played.runs.map(({ command, out, err, code }) =>
    [
      `$ troupe ${command}`,
      `exit ${code}`,
      block("stdout", out),
      block("stderr", ordered(withoutStalls(err))),
    ].join("\n"),
  );
  const changed = Object.entries(played.changed).map(([path, text]) =>
    block(`file ${path}`, text ?? "(gone)"),
  );
  const sent = [...played.requests].flatMap(([key, all]) =>
    all.map((one, n) => ({ key, one, before: all[n - 1] })),
  );
  const requests = sent.map(
    ({ key, one, before }, n) => `request ${n + 1} (${key})\n${requestText(one, before)}`,
  );
  const journals = played.journals.map(
    (records, n) => `journal ${n + 1}\n${journalText(records, unordered)}`,
  );
  const all = [...parts, ...changed, ...(brief ? [] : [...requests, ...journals])].join("\n\n");
  return fold(normalise(all, played), known);
}

/** The texts of a request by name, as other goldens may leave them out. */
export function textsIn(played: Played, key: string): [string, string[]][] {
  const [first] = played.requests.get(key) ?? [];
  if (first === undefined) return [];
  const lines = (text: string) => normalise(block("", text), played).split("\n").slice(1);
  const { system = [], tools = [] } = first.body;
  return [
    ...system.map(({ text }, n): [string, string[]] => [`${key}'s system ${n}`, lines(text)]),
    ...tools.map((tool): [string, string[]] => [`${key}'s ${tool.name}`, lines(toolText(tool))]),
    [`${key}'s first message`, lines(messageText(first.body.messages[0]))],
  ];
}

function requestText({ body, headers, path }: RecordedRequest, before: RecordedRequest | undefined): string {
  const { system = [], tools = [], messages, ...fields } = body;
  const head = JSON.stringify({ path, beta: headers["anthropic-beta"], ...fields, marks: marksIn(body) });
  const last = before?.body;
  const same = (a: unknown, b: unknown) => bare(a) === bare(b);
  const shared = messages.findIndex((message, n) => !same(message, last?.messages[n]));
  const from = shared === -1 ? messages.length : shared;
  return [
    head,
    ...(last !== undefined && same(system, last.system)
      ? ["system as before"]
      : system.map(({ text }, n) => block(`system ${n}`, text))),
    ...(last !== undefined && same(tools, last.tools)
      ? ["tools as before"]
      : tools.map((tool) => block(`tool ${tool.name}`, toolText(tool)))),
    ...(from > 0 ? [`${from} of ${last?.messages.length} messages as before`] : []),
    ...messages.slice(from).map((message) => block(message.role, messageText(message))),
  ].join("\n");
}

function messageText({ content }: Partial<RequestMessage> = {}): string {
  return typeof content === "string" ? content : (content ?? []).map(blockText).join("\n");
}

function toolText(tool: { readonly name: string; readonly description?: unknown }): string {
  const { description, ...rest } = JSON.parse(bare(tool));
  return `${description}\n${JSON.stringify(rest)}`;
}

function blockText(part: { readonly type: string; readonly [field: string]: unknown }): string {
  const { text, content, ...rest } = JSON.parse(bare(part));
  const inner = Array.isArray(content) ? content.map(blockText).join("\n") : content;
  return [`· ${JSON.stringify(rest)}`, text, inner].filter((words) => words !== undefined).join("\n");
}

/** As JSON, without the marks of the cache: those are shown by their places. */
function bare(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)) ?? "";
}

function marksIn(value: unknown, at = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "cache_control" ? [`${at} ${JSON.stringify(inner)}`] : marksIn(inner, `${at}.${key}`),
  );
}

/** By actor, because actors write side by side; then what the folds make of it. */
function journalText(records: readonly JournalRecord[], unordered = false): string {
  const byActor = new Map<string, string[]>();
  for (const { event } of records) {
    const { spec, actor } = event as { spec?: { id: string }; actor?: string };
    const whose = spec?.id ?? actor ?? "session";
    byActor.set(whose, [...(byActor.get(whose) ?? []), eventText(event)]);
  }
  const actors = [...byActor.values()];
  if (unordered) actors.sort((a, b) => taskOf(a).localeCompare(taskOf(b)));
  const agents = sessionStory(records).agents.map(
    ({ exchanges: _, ...agent }) => `fold ${JSON.stringify(agent)}`,
  );
  if (unordered) agents.sort((a, b) => taskOf([a]).localeCompare(taskOf([b])));
  const { tasks } = sessionStateOf(records);
  const ordered = actors.flatMap((lines) => sortCalls(lines));
  return ordered.concat(agents, `tasks ${JSON.stringify(tasks)}`).join("\n");
}

function taskOf(lines: readonly string[]): string {
  return /"description":"([^"]*)/.exec(lines[0] ?? "")?.[1] ?? "";
}

/** Calls of one reply run side by side, so their events have no order among themselves. */
function sortCalls(lines: readonly string[]): string[] {
  const groups: string[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last !== undefined && OF_CALL.test(line) && OF_CALL.test(last[0] ?? "")) last.push(line);
    else groups.push([line]);
  }
  return groups.flatMap((group) => group.sort((a, b) => placeOf(a).localeCompare(placeOf(b))));
}

function placeOf(line: string): string {
  return `${/"call":"([^"]*)/.exec(line)?.[1]} ${line.startsWith("before") ? 0 : 1}`;
}

const OF_CALL = /^(before|after|command) /;

function eventText({ type, ...event }: JournalRecord["event"]): string {
  // Messages and tools are in the requests, word by word; here their sorts are enough.
  const short = (key: string, value: unknown): unknown => {
    if (key === "tools" && Array.isArray(value)) return value.map((tool) => tool?.name ?? tool).join(" ");
    if (key === "content" && Array.isArray(value)) return value.map((part) => part?.type ?? part).join(" ");
    if (key === "system") return "…";
    if (key === "knows") return Object.keys(value as object).join(" ");
    return value;
  };
  return `${type} ${JSON.stringify(event, short)}`;
}

function block(title: string, text: string): string {
  return text === ""
    ? `${title}: (nothing)`
    : `${title}:\n${indent(text.endsWith("\n") ? text : `${text}⏎`)}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n")
    .trimEnd();
}

/** Names runs of three or more lines that stand in a known text. */
function fold(text: string, known: Known): string {
  const places = new Map<string, [name: string, at: number][]>();
  for (const [name, lines] of known)
    for (const [at, line] of lines.entries()) places.set(line, [...(places.get(line) ?? []), [name, at]]);
  const lines = text.split("\n");
  const folded: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const runs = (places.get(lines[at] ?? "") ?? []).map(([name, from]) => {
      const whole = known.get(name) ?? [];
      let length = 0;
      while (at + length < lines.length && whole[from + length] === lines[at + length]) length += 1;
      return { name, length, whole: length === whole.length };
    });
    const best = runs.sort((a, b) => b.length - a.length)[0];
    if (best === undefined || (best.length < 3 && !best.whole)) folded.push(lines[at++] ?? "");
    else {
      folded.push(best.whole ? `  [all of ${best.name}]` : `  [${best.length} lines of ${best.name}]`);
      at += best.length;
    }
  }
  // What is wholly as usual takes one line.
  return folded
    .join("\n")
    .replaceAll(/^(tool|system) (\S+):\n {2}\[all of (\S+'s) (?:system )?\2\]$/gm, "$1 $2: $3")
    .replaceAll(/(?<=: \S+'s)\ntool (?=\S+: \S+'s$)/gm, "; ");
}
