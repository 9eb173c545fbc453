import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ancestors } from "../../lib/paths.ts";
import type { Files } from "../files.ts";
import type { MarkdownDir } from "../markdown/find-markdown.ts";
import { type PluginSource, readPlugin } from "../plugins/read-plugin.ts";
import type { SkillOrigin } from "./skill.ts";

/** Where skills are looked for. All directories are absolute. */
export interface SkillSearch {
  readonly cwd: string;
  /** The user's own directory of definitions and settings. */
  readonly claudeDir: string;
  /** Troupe's own directory. */
  readonly home: string;
  /** The directory of the organization's settings. */
  readonly managed: string;
  readonly plugins?: readonly PluginSource[];
  /** The skills that come with Troupe (default true). */
  readonly shipped?: boolean;
  /** Slash commands of the program itself. */
  readonly reserved?: readonly string[];
  /** The user trusts the directory: links may lead anywhere, and names replace others. */
  readonly trusted: () => boolean;
  /** The user has agreed to this grant of a skill of the project (see `skillGrants`), by its digest. */
  readonly agreed: (digest: string) => boolean;
  /** A rule keeps this file from being read. */
  readonly denied: (path: string) => boolean;
}

/** A directory of skills or commands. */
export interface SkillDir extends MarkdownDir {
  readonly kind: "skill" | "command";
  readonly origin: SkillOrigin;
  /** Comes before the names of what is in it. */
  readonly prefix: string;
  readonly plugin: string | null;
  /** Values of `${NAME}` in its texts. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Of a plug-in, what the user agreed to, by digest; absent if the user was not asked. */
  readonly agreed?: ReadonlySet<string>;
}

type Where = Pick<SkillSearch, "cwd" | "claudeDir" | "home" | "managed" | "plugins" | "shipped"> &
  Partial<Pick<SkillSearch, "trusted">>;

/**
 * Returns the directories in the order in which names count: the organization's, the user's, those of the project up to
 * the top of its repository, plug-ins', Troupe's own. In one place a skill counts before a command.
 */
export function skillDirs(where: Where, files: Files): SkillDir[] {
  const { cwd, claudeDir, home, managed, plugins = [], shipped = true, trusted = () => false } = where;
  const dirs = ancestors(cwd);
  const top = dirs.findIndex((dir) => files.look(join(dir, ".git")).type !== "none");
  const project = dirs.slice(0, Math.max(top, 0) + 1);
  const reach = trusted() ? null : (project.at(-1) ?? cwd);
  return [
    ...both("enterprise", join(managed, ".claude")),
    ...both("user", claudeDir),
    ...both("user", home),
    ...project.flatMap((dir) => both("project", join(dir, ".claude"), { reach })),
    ...plugins.flatMap((source) => {
      const { dir: plugin, name, skills, commands } = readPlugin(source, files);
      const agreed = source.agreed === undefined ? {} : { agreed: source.agreed };
      const variables = { CLAUDE_PLUGIN_ROOT: plugin, ...source.variables };
      const common = { ...agreed, variables, origin: "plugin", plugin, prefix: `${name}:` } as const;
      return [
        ...skills.map((one): SkillDir => ({ ...common, ...one, kind: "skill" })),
        ...commands.map((one): SkillDir => ({ ...common, ...one, kind: "command" })),
      ];
    }),
    ...(shipped ? both("shipped", shippedSkills()).slice(0, 1) : []),
  ];
}

function both(origin: SkillOrigin, dir: string, { reach = null }: Partial<SkillDir> = {}): SkillDir[] {
  const common = { origin, prefix: "", plugin: null, reach };
  return [
    { ...common, kind: "skill", layout: "directories", dir: join(dir, "skills") },
    { ...common, kind: "command", layout: "tree", dir: join(dir, "commands") },
  ];
}

/** Returns the directory that holds `skills/`: the package's own. */
function shippedSkills(): string {
  // From the sources, or from a bundle in dist/.
  const own = import.meta.url.endsWith(".ts") ? "../../.." : "..";
  return fileURLToPath(new URL(own, import.meta.url)).replace(/\/$/, "");
}
