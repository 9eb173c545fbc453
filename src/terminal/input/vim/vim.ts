import { parseCommand, type VimCommand } from "./command.ts";
import {
  type Buffer,
  type Find,
  firstOfLine,
  lineEnd,
  lineStart,
  onCharacter,
  splice,
  type Units,
} from "./motions.ts";
import { join, move, put, type Register, rangeOf, remove, replace, take, toggleCase } from "./operate.ts";

/** What is typed until Escape, and what it began with. */
interface Insertion {
  /** What undo returns to. */
  readonly before: Buffer;
  readonly from: Buffer;
  /** Null: the prompt began with it. */
  readonly command: VimCommand | null;
}

/** A change that `.` makes again. */
interface Change {
  readonly command: VimCommand;
  readonly inserted: Units;
}

/** What vim's keys have done to a prompt so far. */
export interface VimState {
  /** Null in normal mode. */
  readonly insertion: Insertion | null;
  /** Keys of an unfinished command. */
  readonly keys: readonly string[];
  readonly register: Register;
  readonly find: Find | null;
  /** The column that j and k keep; null after any other key. */
  readonly column: number | null;
  readonly change: Change | null;
  readonly undo: readonly Buffer[];
  readonly redo: readonly Buffer[];
}

export interface Pressed {
  readonly state: VimState;
  readonly buffer: Buffer;
  /** There is no line there: an earlier or later prompt is meant. */
  readonly leaves?: "up" | "down";
}

const EMPTY: Buffer = { units: [], at: 0 };
const MOST_UNDO = 200;
const REDO = "\u0012";
const INSERTING = "iIaAoO";

/** Returns the state of an empty prompt, in insert mode; what was copied, and what `.` repeats, is kept. */
export function startVim(earlier?: VimState): VimState {
  return {
    insertion: { before: EMPTY, from: EMPTY, command: null },
    keys: [],
    register: earlier?.register ?? { units: [], isLines: false },
    ...{ find: earlier?.find ?? null, column: null, change: earlier?.change ?? null },
    ...{ undo: [], redo: [] },
  };
}

/** Escape: ends insert mode, or an unfinished command. Returns null if there is neither. */
export function escapeVim(state: VimState, buffer: Buffer): Pressed | null {
  const { insertion } = state;
  if (insertion === null) return state.keys.length === 0 ? null : { state: { ...state, keys: [] }, buffer };
  const { before, from, command } = insertion;
  const at = Math.max(lineStart(buffer.units, buffer.at), buffer.at - 1);
  const change = command === null ? state.change : { command, inserted: insertedInto(from, buffer.units) };
  return {
    state: { ...noted(state, before, buffer.units), insertion: null, keys: [], column: null, change },
    buffer: onCharacter({ units: buffer.units, at }),
  };
}

/** Keeps what the text was before something else than vim's keys has changed it. */
export function noted(state: VimState, before: Buffer, now: Units): VimState {
  if (isSame(before.units, now)) return state;
  return { ...state, undo: [...state.undo, before].slice(-MOST_UNDO), redo: [] };
}

/** One key in normal mode: a character, or Ctrl-R. */
export function pressVim(given: VimState, buffer: Buffer, key: string): Pressed {
  const keys = [...given.keys, key];
  const command = parseCommand(keys);
  if (command === "more") return { state: { ...given, keys }, buffer };
  const state = { ...given, keys: [] };
  if (command === null) return { state: { ...state, column: null }, buffer };
  const result = run(state, buffer, command);
  const keepsColumn = command.type === "move" && /^[jk]$/.test(command.target.name);
  return {
    ...result,
    state: keepsColumn ? result.state : { ...result.state, column: null },
    buffer: result.state.insertion ? result.buffer : onCharacter(result.buffer),
  };
}

function run(state: VimState, buffer: Buffer, command: VimCommand): Pressed {
  switch (command.type) {
    case "move":
      return runMove(state, buffer, command);
    case "operate":
      return runOperator(state, buffer, command);
    case "act":
      return runAction(state, buffer, command);
    default:
      return command satisfies never;
  }
}

function contextOf(state: VimState, { units, at }: Buffer, { count }: VimCommand) {
  return { count, find: state.find, column: state.column ?? at - lineStart(units, at) };
}

/** A character that is looked for is known to `;` and `,` from then on. */
function withFind(
  state: VimState,
  { name, unit }: { readonly name: string; readonly unit?: string },
): VimState {
  return unit === undefined ? state : { ...state, find: { by: name, unit } };
}

function runMove(given: VimState, buffer: Buffer, command: VimCommand & { readonly type: "move" }): Pressed {
  const { name } = command.target;
  const state = withFind(given, command.target);
  const context = contextOf(state, buffer, command);
  const moved = move(buffer, name, context);
  if (moved === null && (name === "j" || name === "k"))
    return { state, buffer, leaves: name === "j" ? "down" : "up" };
  const column = name === "$" ? Number.POSITIVE_INFINITY : context.column;
  return { state: { ...state, column }, buffer: moved ? { ...buffer, at: moved.at } : buffer };
}

function runOperator(
  given: VimState,
  buffer: Buffer,
  command: VimCommand & { readonly type: "operate" },
): Pressed {
  const { operator, target } = command;
  const state = target.type === "motion" ? withFind(given, target) : given;
  const range = rangeOf(buffer, target, operator, contextOf(state, buffer, command));
  if (range === null) return { state, buffer };
  const register = range.to > range.from || range.isLines ? take(buffer, range) : state.register;
  switch (operator) {
    case "y":
      return { state: { ...state, register }, buffer: { ...buffer, at: range.back } };
    case "d":
      return changed({ ...state, register }, buffer, remove(buffer, range), command);
    case "c": {
      const from = remove(buffer, { ...range, isLines: false });
      return inserting({ ...state, register }, buffer, from, command);
    }
    default:
      return operator satisfies never;
  }
}

function runAction(state: VimState, buffer: Buffer, command: VimCommand & { readonly type: "act" }): Pressed {
  const { name, unit = "", count = 1 } = command;
  if (INSERTING.includes(name)) return inserting(state, buffer, insertAt(buffer, name), command);
  switch (name) {
    case "p":
    case "P":
      return changed(state, buffer, put(buffer, state.register, name === "P", count), command);
    case "r":
      return changed(state, buffer, replace(buffer, unit, count), command);
    case "~":
      return changed(state, buffer, toggleCase(buffer, count), command);
    case "J":
      return changed(state, buffer, join(buffer, count), command);
    case "u":
      return travel(state, buffer, "undo", "redo", count);
    case REDO:
      return travel(state, buffer, "redo", "undo", count);
    default:
      return repeat(state, buffer, command.count);
  }
}

function insertAt({ units, at }: Buffer, name: string): Buffer {
  const end = lineEnd(units, at);
  switch (name) {
    case "I":
      return { units, at: firstOfLine(units, at) };
    case "a":
      return { units, at: Math.min(end, at + 1) };
    case "A":
      return { units, at: end };
    case "o":
      return { units: splice(units, end, end, ["\n"]), at: end + 1 };
    case "O": {
      const start = lineStart(units, at);
      return { units: splice(units, start, start, ["\n"]), at: start };
    }
    default:
      return { units, at };
  }
}

function inserting(state: VimState, before: Buffer, from: Buffer, command: VimCommand): Pressed {
  return { state: { ...state, insertion: { before, from, command } }, buffer: from };
}

/** `after`: null if there was nothing to change. */
function changed(state: VimState, before: Buffer, after: Buffer | null, command: VimCommand): Pressed {
  if (after === null) return { state, buffer: before };
  return {
    state: { ...noted(state, before, after.units), change: { command, inserted: [] } },
    buffer: after,
  };
}

function travel(
  state: VimState,
  buffer: Buffer,
  from: "undo" | "redo",
  to: "undo" | "redo",
  count: number,
): Pressed {
  let [current, source, target] = [buffer, state[from], state[to]];
  for (let left = count; left > 0; left--) {
    const next = source.at(-1);
    if (next === undefined) break;
    [current, source, target] = [next, source.slice(0, -1), [...target, current]];
  }
  return { state: { ...state, [from]: source, [to]: target }, buffer: current };
}

function repeat(state: VimState, buffer: Buffer, count: number | undefined): Pressed {
  if (state.change === null) return { state, buffer };
  const { command, inserted } = state.change;
  const again = run(state, buffer, count === undefined ? command : { ...command, count });
  if (again.state.insertion === null) return again;
  const { units, at } = again.buffer;
  const typed = { units: splice(units, at, at, inserted), at: at + inserted.length };
  return escapeVim(again.state, typed) ?? again;
}

/** Returns what was typed at the cursor; what was deleted around it is not known. */
function insertedInto({ units: from, at }: Buffer, now: Units): Units {
  let start = 0;
  while (start < at && start < now.length && from[start] === now[start]) start += 1;
  const most = Math.min(from.length, now.length) - start;
  let end = 0;
  while (end < most && from.at(-1 - end) === now.at(-1 - end)) end += 1;
  return now.slice(start, now.length - end);
}

function isSame(one: Units, other: Units): boolean {
  return one.length === other.length && one.every((unit, index) => unit === other[index]);
}
