import * as z from "zod/mini";
import { given, isObject, parseJson } from "../../lib/json.ts";
import { Accept } from "../../mailbox/acceptance.ts";
import { isPoolName, POOL_NAME } from "../../mailbox/ids.ts";
import { Effort, MODEL_ALIASES } from "../../mailbox/model.ts";
import { MergeMode } from "../../mailbox/worktree.ts";
import { isHookEvent, noHookEvent } from "../../settings/hook-events.ts";
import { type Meaning, readFlag } from "../markdown/fields.ts";
import { checkProblem, outputSchemaFault } from "./check-problem.ts";
import type { AgentDefinition, AgentMode, DefinedServers } from "./definition.ts";

const MAX_NAME_CHARS = 200;
const MODES: Readonly<Record<string, AgentMode>> = {
  plan: "plan",
  dontAsk: "dontAsk",
  default: "default",
  acceptEdits: "acceptEdits",
  bypassPermissions: "bypassPermissions",
  bypass: "bypassPermissions",
};

export function wholeNumber(least: number, most: number): Meaning<number> {
  return (value) => {
    const number = typeof value === "string" && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
    return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most
      ? { value: number }
      : { wrong: `must be a whole number from ${least} to ${most}` };
  };
}

export const model: Meaning<string | null> = (value) => {
  const name = typeof value === "string" ? value.trim() : null;
  if (name === null || name.length > MAX_NAME_CHARS || /\s/.test(name))
    return { wrong: `must be one of ${MODEL_ALIASES.join(", ")} or inherit, or a full id` };
  return { value: name === "" || /^(?:inherit|default)$/i.test(name) ? null : name };
};

export const effort: Meaning<Effort> = (value) => {
  const read = Effort.safeParse(typeof value === "string" ? value.trim().toLowerCase() : value);
  return read.success ? { value: read.data } : { wrong: `must be one of ${Effort.options.join(", ")}` };
};

export const mode: Meaning<AgentMode> = (value) => {
  // The name that users see of the default one elsewhere.
  const name = value === "manual" ? "default" : value;
  const found = typeof name === "string" && Object.hasOwn(MODES, name) ? MODES[name] : undefined;
  return found === undefined
    ? { wrong: "must be one of default, acceptEdits, plan, dontAsk and bypassPermissions" }
    : { value: found };
};

export const readIsolation: Meaning<"worktree" | null> = (value) => {
  if (value === "worktree") return { value };
  return value === false || value === "none" ? { value: null } : { wrong: "must be worktree" };
};

/** A command, or an object as in a spawn. */
export const readAccept: Meaning<Accept> = (value) => {
  const read = Accept.safeParse(typeof value === "string" ? { run: value } : value);
  if (!read.success) return { wrong: "must be a command, or have some of run, expect, files and schema" };
  const problem = checkProblem(read.data);
  return problem === null ? { value: read.data } : { wrong: `states nothing: ${problem}` };
};

export const readThread: Meaning<"own" | null> = (value) => {
  if (value === "own") return { value };
  return value === "leased" ? { value: null } : { wrong: "must be own or leased" };
};

export const readPool: Meaning<string> = (value) =>
  typeof value === "string" && isPoolName(value) ? { value } : { wrong: `must be ${POOL_NAME}` };

export const readMerge: Meaning<MergeMode> = (value) => {
  const read = MergeMode.safeParse(value);
  return read.success ? { value: read.data } : { wrong: `must be one of ${MergeMode.options.join(", ")}` };
};

/** In Claude Code the key names a directory for an agent's own notes. */
export const memory: Meaning<boolean | null> = (value) =>
  typeof value === "string" && ["user", "project", "local"].includes(value)
    ? {
        value: null,
        note: "names a directory for notes of its own, which does not exist here yet; memory files are read",
      }
    : readFlag(value);

const Budget = () =>
  z.strictObject({
    tokens: z.optional(z.number().check(z.gte(1))),
    usd: z.optional(z.number().check(z.gte(0))),
    turns: z.optional(z.number().check(z.gte(1))),
    minutes: z.optional(z.number().check(z.gt(0))),
  });
const MINUTE_MS = 60_000;

/** As in settings. */
export const budget: Meaning<AgentDefinition["budget"]> = (value) => {
  const read = Budget().safeParse(value);
  if (!read.success) return { wrong: "must be any of tokens, usd, turns and minutes, which are numbers" };
  const { tokens, usd, turns, minutes } = read.data;
  return {
    value: {
      ...given({ tokens, usd, turns }),
      ...(minutes === undefined ? {} : { ms: minutes * MINUTE_MS }),
    },
  };
};

/** As in settings, without unknown events; people write notes as `_note` or `//`. */
export const hooks: Meaning<Readonly<Record<string, unknown>>> = (value) => {
  if (!isObject(value)) return { wrong: "must be keys with values" };
  const entries = Object.entries(value);
  const known = Object.fromEntries(entries.filter(([event]) => isHookEvent(event)));
  const others = entries
    .map(([event]) => event)
    .filter((event) => !isHookEvent(event) && !/^(?:_|\/\/)/.test(event));
  const [first] = others;
  if (first === undefined) return { value: known };
  const more = others.length > 1 ? `, nor ${others.length - 1} more` : "";
  return {
    value: known,
    note: `may not have ${first.slice(0, MAX_NAME_CHARS)}, which ${noHookEvent(first)}${more}`,
  };
};

/** A JSON Schema, as keys with values or as JSON in a string. */
export const readSchema: Meaning<Readonly<Record<string, unknown>>> = (value) => {
  const read = typeof value === "string" ? parseJson(value) : value;
  if (!isObject(read)) return { wrong: "must be a JSON Schema: keys with values, such as type: object" };
  const wrong = outputSchemaFault(read);
  return wrong === null ? { value: read } : { wrong };
};

/** Names of servers in a list, whole servers in it, or servers by name. */
export const servers: Meaning<DefinedServers> = (value) => {
  const list = Array.isArray(value) ? value : typeof value === "string" ? value.split(/[\s,]+/) : [value];
  const wrong = { wrong: "must be names of servers, or servers by name as in .mcp.json" };
  const named: string[] = [];
  const own: Record<string, unknown> = Object.create(null);
  for (const one of list) {
    if (typeof one === "string") named.push(...(one === "" ? [] : [one]));
    else if (isObject(one)) Object.assign(own, one);
    else return wrong;
  }
  const isEntry = Object.values(own).every((entry) => isObject(entry));
  return isEntry ? { value: { named, own: { ...own } } } : wrong;
};
