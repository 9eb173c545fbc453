import type { PluginSource } from "../context/plugins/read-plugin.ts";
import type { SkillSearch } from "../context/skills/skill-dirs.ts";
import type { SkillsOptions } from "../features/skills/options.ts";
import type { Grant } from "../policy/trust/grants.ts";
import type { SupervisorOptions } from "../session/options.ts";
import { userPlaces } from "../settings/paths.ts";
import type { Settings } from "../settings/read-settings.ts";
import { managedDir } from "./directories.ts";
import type { CliIO } from "./process-io.ts";

interface Where {
  readonly cwd: string;
  readonly home: string;
}

/** Returns what trusting the directory would let its own skills do. */
export async function skillGrantsIn(io: CliIO, { cwd, home }: Where): Promise<Grant[]> {
  const { skillLibrary } = await import("../context/skills/library.ts");
  const { diskFiles } = await import("../context/files.ts");
  const search: SkillSearch & { readonly cwd: string } = {
    ...{
      cwd,
      ...userPlaces(io.env, io.homedir),
      home,
      managed: managedDir(io),
      reserved: conversationCommands,
    },
    // What its links lead to is not shown before the user has agreed.
    ...{ trusted: () => false, agreed: () => false, denied: () => false },
  };
  return [...(await skillLibrary(search, diskFiles).grants())];
}

/** Returns the skills of a session. `agreed`: the user has agreed to what this digest stands for. */
export function skillsOptions(
  io: CliIO,
  home: string,
  given: {
    readonly settings: Pick<Settings, "skills">;
    readonly plugins: readonly PluginSource[];
    readonly trusted: boolean;
    readonly agreed: (digest: string) => boolean;
    readonly withHooks: boolean;
  },
): SkillsOptions {
  const { trusted, agreed, plugins } = given;
  return {
    ...given.settings.skills,
    hooks: given.withHooks,
    search: {
      ...{ ...userPlaces(io.env, io.homedir), home, managed: managedDir(io), agreed, plugins },
      reserved: conversationCommands,
      trusted: () => trusted,
    },
  };
}

/** Slash commands of the conversation that are not subcommands of `troupe` as well. */
const notInShell =
  "clear compact cost exit export help mode model quit remember resume rewind skills stop tasks vim".split(
    " ",
  );
const inBoth = "agents config inbox mcp permissions".split(" ");

export const conversationCommands: readonly string[] = [...notInShell, ...inBoth];

/** Subcommands of `troupe` that are not slash commands. */
const inShell =
  "acp completion context cron doctor engine fanout plugin run runner runners sessions start top undo worktrees".split(
    " ",
  );

/** Completes a sentence about an unknown slash command that is a subcommand of `troupe`, or returns null. */
export function subcommandAdvice(name: string): string | null {
  return inShell.includes(name) ? `in a shell there is troupe ${name}.` : null;
}

/**
 * Returns why one of these tasks cannot start: it calls a skill that does not exist, or a slash command of the
 * conversation. Prompts of MCP servers are checked later, when they are known.
 */
export async function whyNotCalled(
  tasks: readonly string[],
  { cwd, skills }: Pick<SupervisorOptions, "cwd" | "skills">,
): Promise<string | null> {
  const slashed = tasks.filter((task) => task.trimStart().startsWith("/"));
  if (slashed.length === 0 || skills === undefined) return null;
  const { skillLibrary } = await import("../context/skills/library.ts");
  const { diskFiles } = await import("../context/files.ts");
  const { slashLine } = await import("../features/skills/slash-line.ts");
  // Whether a rule denies reading it is checked when the task starts.
  const { all } = await skillLibrary({ ...skills.search, cwd, denied: () => false }, diskFiles).look();
  for (const task of slashed) {
    const called = slashLine(task, all);
    if (called.type === "refused") return called.reason;
    if (called.type === "unknown" && !task.trimStart().startsWith("/mcp__"))
      return whereItBelongs(task) ?? called.reason;
  }
  return null;
}

function whereItBelongs(task: string): string | null {
  const [, name = ""] = /^\s*\/(\S*)/.exec(task) ?? [];
  const shell = subcommandAdvice(name);
  if (shell !== null) return `There is no command or skill "/${name}"; ${shell}`;
  if (!conversationCommands.includes(name)) return null;
  const here = inBoth.includes(name)
    ? `in a shell there is troupe ${name}`
    : "troupe --help lists what a shell has";
  return `"/${name}" belongs to the conversation in the terminal, which troupe alone starts; ${here}.`;
}
