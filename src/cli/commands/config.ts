import { isObject } from "../../lib/json.ts";
import { settingsReader } from "../../policy/trust/trust.ts";
import { untrustedNote } from "../../policy/trust/trust-text.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { settingsPaths } from "../../settings/paths.ts";
import { settingName } from "../../settings/setting.ts";
import { readSettingsFiles } from "../../settings/settings-file.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import { type Context, withSubcommands } from "../command.ts";
import { changeSetting, editedScopes, leafLine, leavesBelow, requireKey } from "../config/change-setting.ts";
import { settingsSource, whereOf, workingDir } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice } from "../option.ts";
import { printJson, printNotes } from "../print.ts";
import type { CliIO } from "../process-io.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";
import { pluginsHere } from "../session-settings.ts";

const scopeFlag = choice({
  name: "scope",
  choices: editedScopes,
  summary: "whose file: ~/.claude/settings.json, .claude/settings.json, .claude/settings.local.json",
  fallback: "for set and unset user, else all together",
});

/** `troupe config`: shows settings and edits them safely (A18.4). */
export const configCommand = withSubcommands({
  name: "config",
  summary: "show and edit settings, such as model or permissions.allow",
  details: [
    "KEY is a name as in docs/settings.md, such as troupe.maxAgents or env.CI.",
    "VALUE is JSON if that fits the setting, else the text itself; what is not valid is not written.",
  ],
  options: [sessionFlags.cwd, sessionFlags.pluginDir],
  subcommands: {
    get: {
      takes: "KEY",
      options: [scopeFlag, jsonFlag],
      run: ([key = ""], args, context) => get(key, args, context),
    },
    set: {
      takes: "KEY VALUE",
      options: [scopeFlag],
      run: ([key = "", value], args, context) => edit(key, value, args, context),
    },
    unset: {
      takes: "KEY",
      options: [scopeFlag],
      run: ([key = ""], args, context) => edit(key, undefined, args, context),
    },
    list: { options: [scopeFlag, jsonFlag], run: (_, args, context) => list(args, context) },
  },
  examples: [
    ["troupe config set model opus", "for every directory"],
    [`troupe config set permissions.deny '["Bash(git push:*)"]' --scope local`, "here, and not in git"],
    ["troupe config list", "the settings in force here, and the file that each comes from"],
  ],
});

async function get(name: string, args: Arguments, { io }: Context): Promise<number> {
  const key = requireKey(name);
  const leaves = leavesBelow(key, await leavesOf(args, io));
  if (leaves.length === 0) {
    if (args.value(jsonFlag)) await printJson(io, null);
    else await printNotes(io, [`${name} is not set${inScope(args)}.`]);
    return exitCodes.notDone;
  }
  const value = combine(leaves, key.path.length);
  if (typeof value === "string" && !args.value(jsonFlag)) await io.stdout.write(`${safeLine(value)}\n`);
  else await printJson(io, value);
  return exitCodes.done;
}

async function list(args: Arguments, { io }: Context): Promise<number> {
  const leaves = await leavesOf(args, io);
  if (args.value(jsonFlag))
    await printJson(
      io,
      leaves.map(({ path, value, scope, file }) => ({ key: settingName({ path }), value, scope, file })),
    );
  else if (leaves.length > 0) await io.stdout.write(leaves.map((leaf) => `${leafLine(leaf)}\n`).join(""));
  else await printNotes(io, [`Nothing is set${inScope(args)}.`]);
  return exitCodes.done;
}

async function edit(
  name: string,
  word: string | undefined,
  args: Arguments,
  { io }: Context,
): Promise<number> {
  const change = { name, word, scope: args.value(scopeFlag) ?? "user" };
  const { message, condition } = await changeSetting(change, io, await workingDir(args, io));
  await printNotes(io, [message, condition]);
  return exitCodes.done;
}

/** Returns the settings of one file, or all that are in force together. */
async function leavesOf(args: Arguments, io: CliIO): Promise<readonly Leaf[]> {
  const root = await workingDir(args, io);
  const scope = args.value(scopeFlag);
  if (scope !== undefined) {
    const places = settingsPaths(whereOf(io, root)).filter((place) => place.scope === scope);
    const files = await readSettingsFiles(places);
    await printNotes(
      io,
      files.flatMap(({ warnings }) => warnings),
    );
    return files.flatMap(({ leaves }) => leaves);
  }
  const plugins = await pluginsHere(args.value(sessionFlags.pluginDir), io, root);
  const read = await settingsReader({ ...settingsSource(io, root), plugins: plugins.files }, false).read();
  await printNotes(io, [...plugins.notes, ...read.warnings, untrustedNote(read.trust)]);
  return read.leaves;
}

/** Combines several values into one: lists are joined, entries and groups become an object. */
function combine(leaves: readonly Leaf[], depth: number): unknown {
  const exact = leaves.filter(({ path }) => path.length === depth).map(({ value }) => value);
  if (exact.length > 0) {
    if (exact.every(Array.isArray)) return exact.flat();
    return exact.length > 1 && exact.every(isObject) ? exact : exact.at(-1);
  }
  const byKey = Map.groupBy(leaves, ({ path }) => path[depth] ?? "");
  return Object.fromEntries([...byKey].map(([key, below]) => [key, combine(below, depth + 1)]));
}

function inScope(args: Arguments): string {
  const scope = args.value(scopeFlag);
  return scope === undefined ? "" : ` in the settings of scope ${scope}`;
}
