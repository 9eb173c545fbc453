import { troupeHome } from "../../journal/place.ts";
import { settings } from "../../policy/settings/catalogue.ts";
import { editSettings } from "../../policy/settings/edit-settings.ts";
import { isObject } from "../../policy/settings/json.ts";
import type { Leaf } from "../../policy/settings/leaves.ts";
import { type FileScope, settingsPlaces, type WhereSettingsAre } from "../../policy/settings/places.ts";
import { readSettingsFiles } from "../../policy/settings/read-settings.ts";
import { nameOf } from "../../policy/settings/setting.ts";
import { type SettingsKey, settingsKey, valueFor } from "../../policy/settings/settings-key.ts";
import { type SettingsSource, settingsReader } from "../../policy/trust/trust.ts";
import { untrustedNote } from "../../policy/trust/words.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { existingFolder } from "../folders.ts";
import type { CliIO } from "../io.ts";
import { nearest } from "../nearest.ts";
import { choice, flag, quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

const scopeFlag = choice({
  name: "scope",
  choices: ["user", "project", "local"],
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
  const key = known(name);
  const leaves = (await leavesOf(args, io, root)).filter(({ path }) =>
    key.path.every((word, at) => path[at] === word),
  );
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
  for (const { path, value, file } of leaves) {
    await io.stdout.write(
      `${safeLine(`${nameOf({ path })} = ${JSON.stringify(value)}`)}  (${safeLine(file)})\n`,
    );
  }
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
  const key = known(name);
  if (key.type === "group")
    throw new UsageError(
      `${name} is not one setting but several; name one of them: ${below(key.path).join(", ")}.`,
    );
  const checked = word === undefined ? { value: undefined } : valueFor(key, word);
  if ("problem" in checked) {
    const how = key.setting.type.startsWith("list ") ? `; write it as '["…", "…"]'` : "";
    throw new UsageError(`${checked.problem}, not ${quoted(word ?? "")}${how}.`);
  }
  const scope = args.value(scopeFlag) ?? "user";
  const { foreign, ownOnly, merge } = key.setting;
  const isOwn = foreign === "never" || ownOnly?.(key.path.at(-1) ?? "", checked.value) === true;
  // What was written there by hand can be taken out again.
  if (isOwn && scope !== "user" && word !== undefined) {
    const what = ownOnly && merge === "last" ? `${name} ${quoted(word)}` : name;
    throw new UsageError(`${what} counts in your own settings only; write it with --scope user.`);
  }
  const place = settingsPlaces(whereOf(io, root)).find((one) => one.scope === scope);
  if (place === undefined) throw new UsageError(`There is no scope ${scope}.`);
  const end = await editSettings(place, root, key.path, checked.value);
  if (end.type === "refused") throw new Error(end.reason);
  await io.stderr.write(`${name} is ${word === undefined ? "no longer set" : "set"} in ${place.file}.\n`);
  if (word !== undefined && scope !== "user" && (await isUntrusted(io, root)))
    await io.stderr.write(
      "This folder's settings grant something you have not agreed to yet; a conversation (troupe) asks you, and --trust counts it for one run.\n",
    );
  return exitCodes.done;
}

async function isUntrusted(io: CliIO, root: string): Promise<boolean> {
  const { trust } = await settingsReader(sourceOf(io, root), false).read();
  return trust.type === "untrusted";
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

function sourceOf(io: CliIO, root: string): SettingsSource {
  return { ...whereOf(io, root), home: troupeHome(io.env, io.homedir) };
}

function whereOf({ homedir, managedSettings }: CliIO, root: string): WhereSettingsAre {
  return { homedir, root, ...(managedSettings === undefined ? {} : { managed: managedSettings }) };
}

function known(name: string): Exclude<SettingsKey, { readonly type: "unknown" }> {
  const key = settingsKey(name);
  if (key.type !== "unknown") return key;
  const guess = nearest(name, settings.map(nameOf));
  throw new UsageError(
    `There is no setting ${quoted(name)}; ${guess ? `did you mean ${guess}?` : "docs/settings.md lists them."}`,
  );
}

function below(path: readonly string[]): string[] {
  return settings.filter((one) => path.every((word, at) => one.path[at] === word)).map(nameOf);
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
