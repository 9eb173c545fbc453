import { settingsReader } from "../../policy/trust/trust.ts";
import { untrustedNote } from "../../policy/trust/trust-text.ts";
import { isObject } from "../../settings/json.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { type FileScope, settingsPlaces } from "../../settings/places.ts";
import { readSettingsFiles } from "../../settings/read-settings.ts";
import { nameOf } from "../../settings/setting.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import {
  changeSetting,
  editedScopes,
  knownKey,
  leafLine,
  leavesBelow,
  sourceOf,
  whereOf,
} from "../config/desk.ts";
import { exitCodes } from "../exit-codes.ts";
import { existingFolder } from "../folders.ts";
import type { CliIO } from "../io.ts";
import { choice, flag, quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

const scopeFlag = choice({
  name: "scope",
  choices: editedScopes,
  summary: "whose file: ~/.claude/settings.json, .claude/settings.json, .claude/settings.local.json",
  fallback: "for set and unset user, else all together",
});
const json = flag({ name: "json", summary: "print JSON" });

/** `troupe config`: looks at settings and edits them safely (A18.4). */
export const configCommand: Command = {
  name: "config",
  usage: [
    "config get KEY [--scope SCOPE] [--json]",
    "config set KEY VALUE [--scope SCOPE]",
    "config unset KEY [--scope SCOPE]",
    "config list [--scope SCOPE] [--json]",
  ],
  summary: "show and edit settings, such as model or permissions.allow",
  details: [
    "KEY is a name as in docs/settings.md, such as troupe.maxAgents or env.CI.",
    "VALUE is JSON where that fits the setting, else the text itself; what is not valid is not written.",
  ],
  options: [scopeFlag, json, sessionFlags.cwd],
  examples: [
    ["troupe config set model opus", "for every folder"],
    [`troupe config set permissions.deny '["Bash(git push:*)"]' --scope local`, "here, and not in git"],
    ["troupe config list", "what counts here, and the file that says so"],
  ],
  run: runConfig,
};

async function runConfig(args: Arguments, { io }: Context): Promise<number> {
  const [action, ...words] = args.positionals;
  const needs = (count: number, usage: string) => {
    if (words.length !== count) throw new UsageError(`Write it as troupe config ${usage}.`);
  };
  const root = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
  const [name = "", value = ""] = words;
  switch (action) {
    case "get":
      needs(1, "get KEY");
      return get(name, args, io, root);
    case "set":
      needs(2, "set KEY VALUE, with quotes around a VALUE that has spaces in it");
      return edit(name, value, args, io, root);
    case "unset":
      needs(1, "unset KEY");
      return edit(name, undefined, args, io, root);
    case "list":
      needs(0, "list");
      return list(args, io, root);
    default:
      throw new UsageError(
        action === undefined
          ? "config needs to know what to do: config get, set, unset or list."
          : `config cannot ${quoted(action)}; it can get, set, unset and list.`,
      );
  }
}

async function get(name: string, args: Arguments, io: CliIO, root: string): Promise<number> {
  const key = knownKey(name);
  const leaves = leavesBelow(key, await leavesOf(args, io, root));
  if (leaves.length === 0) {
    if (args.value(json)) await io.stdout.write("null\n");
    else await io.stderr.write(`${name} is not set${whose(args.value(scopeFlag))}.\n`);
    return exitCodes.notDone;
  }
  const value = together(leaves, key.path.length);
  const plain = typeof value === "string" && !args.value(json);
  await io.stdout.write(`${plain ? safeLine(value) : JSON.stringify(value, null, 2)}\n`);
  return exitCodes.done;
}

async function list(args: Arguments, io: CliIO, root: string): Promise<number> {
  const leaves = await leavesOf(args, io, root);
  if (args.value(json)) {
    const rows = leaves.map(({ path, value, scope, file }) => ({
      key: nameOf({ path }),
      value,
      scope,
      file,
    }));
    await io.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    return exitCodes.done;
  }
  for (const leaf of leaves) await io.stdout.write(`${leafLine(leaf)}\n`);
  if (leaves.length === 0) await io.stderr.write(`Nothing is set${whose(args.value(scopeFlag))}.\n`);
  return exitCodes.done;
}

async function edit(
  name: string,
  word: string | undefined,
  args: Arguments,
  io: CliIO,
  root: string,
): Promise<number> {
  const change = { name, word, scope: args.value(scopeFlag) ?? "user" };
  const { said, waits } = await changeSetting(change, io, root);
  await io.stderr.write(waits === null ? `${said}\n` : `${said}\n${waits}\n`);
  return exitCodes.done;
}

/** Of one file, or of all as they count together. */
async function leavesOf(args: Arguments, io: CliIO, root: string): Promise<readonly Leaf[]> {
  const where = whereOf(io, root);
  const scope: FileScope | undefined = args.value(scopeFlag);
  const say = async (lines: readonly (string | null)[]) => {
    for (const line of lines) if (line !== null) await io.stderr.write(`${safeLine(line)}\n`);
  };
  if (scope !== undefined) {
    const files = await readSettingsFiles(settingsPlaces(where).filter((place) => place.scope === scope));
    await say(files.flatMap(({ warnings }) => warnings));
    return files.flatMap(({ leaves }) => leaves);
  }
  const read = await settingsReader(sourceOf(io, root), false).read();
  await say([...read.warnings, untrustedNote(read.trust)]);
  return read.leaves;
}

/** Several values as one: lists joined, entries and groups as an object. */
function together(leaves: readonly Leaf[], depth: number): unknown {
  const exact = leaves.filter(({ path }) => path.length === depth).map(({ value }) => value);
  if (exact.length > 0) {
    if (exact.every(Array.isArray)) return exact.flat();
    return exact.length > 1 && exact.every(isObject) ? exact : exact.at(-1);
  }
  const keys = [...new Set(leaves.map(({ path }) => path[depth] ?? ""))];
  return Object.fromEntries(
    keys.map((key) => [
      key,
      together(
        leaves.filter(({ path }) => path[depth] === key),
        depth + 1,
      ),
    ]),
  );
}

function whose(scope: FileScope | undefined): string {
  return scope === undefined ? "" : ` in the settings of scope ${scope}`;
}
