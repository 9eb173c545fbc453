import { hash } from "node:crypto";
import { canonicalJson, isObject, textsIn } from "../../lib/json.ts";
import { printable } from "../../lib/text.ts";
import { count } from "../../settings/count.ts";
import type { Leaf } from "../../settings/leaves.ts";
import { schema } from "../../settings/schema.ts";
import { serverWords } from "../../settings/server-words.ts";
import { settingName } from "../../settings/setting.ts";
import type { SettingsFile } from "../../settings/settings-file.ts";
import { allowedByMode, EDITORS, READERS } from "../engine/tool-table.ts";

/** One thing that the settings of a trusted directory could do. */
export interface Grant {
  /** For the user: what would be allowed or run, such as `run the command "./setup.sh" (SessionStart)`. */
  readonly words: string;
  /** The same for equal grants only: trust is remembered by it. */
  readonly digest: string;
  /** What it lets the directory do; of a skill, the rule that it lends. */
  readonly group: GrantGroup | { readonly rule: string };
  /** Done by git, from the repository's own configuration, and not by settings. */
  readonly git?: true;
  /** Done by one of the directory's skills, when it is used. */
  readonly skill?: true;
  /** Done by agents of a definition in the directory. */
  readonly agent?: true;
  /** Done by a language server that is in the directory or loads code from it. */
  readonly languageServer?: true;
  /** It takes the name of another skill; the list of skills says so. */
  readonly replaces?: true;
}

/** Returns what trusting the directory would grant, each once. Empty: no question is needed. */
export function grantsOf(files: readonly SettingsFile[]): readonly Grant[] {
  const grants = count(files, true).granted.flatMap(grantsIn);
  return [...new Map(grants.map((grant) => [grant.digest, grant])).values()];
}

/** `what`: the value at the path, or one text of a list there. */
export function grantDigest(path: readonly string[], what: unknown): string {
  return hash("sha256", canonicalJson([path, what]));
}

function grantsIn({ setting, path, value }: Leaf): Grant[] {
  const named = (words: string, what: unknown, group: GrantGroup = "others"): Grant => ({
    ...{ words, group },
    digest: grantDigest(path, what),
  });
  const each = (words: (text: string) => string, group?: GrantGroup) =>
    textsIn(value).map((text) => named(words(printable(text)), text, group ?? ruleGroup(text)));
  switch (setting) {
    case schema.permissions.allow:
      return each((rule) => `use ${rule} without a question`);
    case schema.additionalDirectories:
      return each((folder) => `work in the directory ${folder}, too`, "edits");
    case schema.commandEnv:
      return each((name) => `give commands the variable ${name}`, "variables");
    case schema.env:
      return [named(`set the variable ${printable(`${path.at(-1)}=${value}`)}`, value, "variables")];
    case schema.apiKeyHelper:
      return [named(`run the command ${quoted(value)} for the key of the model`, value, "runs")];
    case schema.statusLine:
      return [
        named(`run ${commandsIn(value).map(quoted).join(", ")} for the line below the prompt`, value, "runs"),
      ];
    case schema.worktree.setup:
      return [named(`run ${setupWords(value)} in every new worktree`, value, "runs")];
    case schema.worktree.check:
      return [named(`run ${quoted(value)} before edits of agents are merged`, value, "runs")];
    case schema.permissions.mode:
      return [named(`start in the mode ${printable(String(value))}`, value, modeGroup(value))];
    case schema.model:
      return [named(`use the model ${printable(String(value))}`, value)];
    case schema.disableHooks:
      return [
        named(value === true ? "switch off all hooks, yours too" : "let hooks run", value, "unchecked"),
      ];
    case schema.mcpServers:
      return [named(`start the MCP server ${serverShown(path, value)}`, value, "servers")];
    case schema.languageServers:
      return [named(`start the language server for ${serverShown(path, value)}`, value, "servers")];
    case schema.hooks:
      return isObject(value)
        ? Object.entries(value).map(([event, hooks]) =>
            named(hookWords(event, hooks), [event, hooks], "runs"),
          )
        : [];
    default:
      return [named(`set ${printable(settingName({ path }))} to ${printable(canonicalJson(value))}`, value)];
  }
}

function serverShown(path: readonly string[], entry: unknown): string {
  return printable(`${path.at(-1) ?? ""}: ${serverWords(entry)}`);
}

function setupWords(setup: unknown): string {
  if (!isObject(setup)) return quoted(setup);
  const { command, ready } = setup;
  return ready === undefined
    ? quoted(command)
    : `${quoted(command)}, then ${quoted(ready)} until it succeeds,`;
}

function hookWords(event: string, hooks: unknown): string {
  const commands = commandsIn(hooks);
  const what = commands.length > 0 ? commands.map(quoted).join(", ") : printable(canonicalJson(hooks));
  if (commands.length > 3) return `run ${commands.length} commands as hooks (${printable(event)}): ${what}`;
  return `run ${what} as a hook (${printable(event)})`;
}

function withArguments(command: unknown, args: unknown): unknown {
  return Array.isArray(args) ? [command, ...args].join(" ") : command;
}

/** However a hook is written, the command it runs is under `command`, and what it asks a model under `prompt`. */
function commandsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "command" || key === "prompt" ? [withArguments(inner, value["args"])] : commandsIn(inner),
  );
}

function quoted(value: unknown): string {
  return `"${printable(typeof value === "string" ? value : canonicalJson(value))}"`;
}

/** What grants let a directory do, the most dangerous first, each as the rest of "if you trust it, they will …". */
export const grantGroups = {
  unchecked: "work without checks",
  runs: "run commands by themselves",
  servers: "start servers",
  commands: "let agents run commands without a question",
  variables: "set variables",
  network: "let agents reach the network without a question",
  edits: "let agents edit files, or work elsewhere, without a question",
  tools: "let agents use other tools without a question",
  reads: "let agents read what is outside of the directory",
  others: "choose models, names and other settings",
  /** It needs no agreement: everyone may do it in every mode that works. */
  free: "do what needs no question anyway",
} as const;

export type GrantGroup = keyof typeof grantGroups;

/** Returns the group of an allow rule of a project. */
export function ruleGroup(rule: string): GrantGroup {
  const [, tool = "", detail] = /^\s*([^(\s]*)\s*(?:\((.*)\))?\s*$/s.exec(rule) ?? [];
  if (tool === "*" || (tool === "Bash" && /^[\s:*]*$/.test(detail ?? ""))) return "unchecked";
  if (tool === "Bash") return "commands";
  if (EDITORS.has(tool)) return "edits";
  if (READERS.has(tool)) return detail !== undefined && isInside(detail) ? "free" : "reads";
  if (tool === "WebFetch" || tool === "WebSearch") return "network";
  return allowedByMode(tool, {}, "default") ? "free" : "tools";
}

/** Returns the group of a mode that a session or an agent starts in. */
export function modeGroup(mode: unknown): GrantGroup {
  if (mode === "bypassPermissions") return "unchecked";
  return mode === "acceptEdits" ? "edits" : "others";
}

/** In the rules of a project, one slash begins at the project. */
function isInside(pattern: string): boolean {
  return !/^\s*(?:\/\/|~|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|[\\{$!]/.test(pattern);
}
