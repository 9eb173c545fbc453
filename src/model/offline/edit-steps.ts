import type { Instruction } from "./instructions.ts";
import type { Desk } from "./offered-tools.ts";
import type { Plan } from "./plan.ts";
import { readTail, type Tail } from "./read-tail.ts";
import { type Done, done, failureOf, missing, undone } from "./step.ts";

type Of<Type extends Instruction["type"]> = Extract<Instruction, { readonly type: Type }>;

/** Reads first: Edit wants it, and what cannot be read is then said before anything is changed. */
export function* replace({ file, from, to, all }: Of<"replace">, desk: Desk): Plan<Done> {
  const path = desk.absolute(file);
  const shown = desk.shown(path);
  const edit = desk.offered("Edit");
  if (edit === undefined) return missing("Edit");
  const unread = yield* read(path, desk);
  if (unread !== undefined) return undone(`${shown} was not changed: ${unread}`);
  const input = { file_path: path, old_string: from, new_string: to, ...(all ? { replace_all: true } : {}) };
  const [outcome] = yield [{ tool: edit, input, shared: false }];
  const failure = failureOf(outcome);
  if (failure !== undefined) return undone(`${shown} was not changed: ${failure}`);
  return done(`In ${shown}, ${all ? "every " : ""}${quote(from)} was replaced with ${quote(to)}.`);
}

function* read(path: string, desk: Desk): Plan<string | undefined> {
  const tool = desk.offered("Read");
  if (tool === undefined) return undefined;
  const [outcome] = yield [{ tool, input: { file_path: path }, shared: false }];
  return failureOf(outcome);
}

/** A new last line. Whether or not the file ended with a line break, it does so afterwards as before. */
export function* append({ file, text }: Of<"append">, desk: Desk): Plan<Done> {
  const path = desk.absolute(file);
  const shown = desk.shown(path);
  const reader = desk.offered("Read");
  if (reader === undefined) return missing("Read");
  const tail = yield* readTail(path, reader);
  if (tail.type === "unreadable") return undone(`Nothing was appended to ${shown}: ${tail.reason}`);
  const write = tail.type === "empty" ? desk.offered("Write") : desk.offered("Edit");
  if (write === undefined) return missing(tail.type === "empty" ? "Write" : "Edit");
  const [outcome] = yield [{ tool: write, input: appending(path, tail, text), shared: false }];
  const failure = failureOf(outcome);
  if (failure !== undefined) return undone(`Nothing was appended to ${shown}: ${failure}`);
  return done(`${quote(text)} was appended: ${shown}:${tail.type === "empty" ? 1 : tail.lines + 1}`);
}

function appending(path: string, tail: Exclude<Tail, { type: "unreadable" }>, text: string) {
  if (tail.type === "empty") return { file_path: path, content: `${text}\n` };
  return { file_path: path, old_string: tail.unique, new_string: `${tail.unique}\n${text}` };
}

/** Never over a file that is there: Write would not ask. */
export function* create({ file, text }: Of<"create">, desk: Desk): Plan<Done> {
  const path = desk.absolute(file);
  const shown = desk.shown(path);
  const write = desk.offered("Write");
  if (write === undefined) return missing("Write");
  const reader = desk.offered("Read");
  if (reader !== undefined) {
    const [found] = yield [{ tool: reader, input: { file_path: path }, shared: false }];
    if (found?.type === "result") return undone(`${shown} exists already, so nothing was written to it.`);
    const failure = failureOf(found) ?? "";
    if (!/does not exist|no such file|not found|ENOENT/i.test(failure))
      return undone(`${shown} was not created: ${failure}`);
  }
  const [outcome] = yield [{ tool: write, input: { file_path: path, content: text }, shared: false }];
  const failure = failureOf(outcome);
  return failure === undefined
    ? done(`${shown} was created.`)
    : undone(`${shown} was not created: ${failure}`);
}

const LONGEST_QUOTE = 80;

function quote(text: string): string {
  const line = text.replace(/\n/g, "\\n");
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line}”`;
}
