import { join } from "node:path";
import { ancestors, isPathInside } from "../../lib/paths.ts";
import type { Files } from "../files.ts";
import type { MarkdownDir } from "../markdown/find-markdown.ts";
import { projectOf } from "../memory/memory-paths.ts";
import { type PluginSource, readPlugin } from "../plugins/read-plugin.ts";

/** Where agents are defined. All directories are absolute. */
export interface AgentSearch {
  readonly cwd: string;
  /** The user's own directory of definitions and settings. */
  readonly claudeDir: string;
  /** The directory of the organization's settings. */
  readonly managed: string;
  readonly plugins?: readonly PluginSource[];
  /** True if the user trusts the directory: links may lead anywhere, and names replace others. */
  readonly trusted: () => boolean;
  /** True if the user has accepted the grant with this digest. */
  readonly agreed: (digest: string) => boolean;
}

/** A directory of definitions. */
export interface AgentDir extends MarkdownDir {
  readonly scope: "enterprise" | "user" | "project" | "plugin";
  /** Comes before the names of what is in it. */
  readonly prefix?: string;
  /** Values of `${NAME}` in a plug-in's prompts. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Returns the directories in order of precedence: the organization's, the project's, the user's, plug-ins'. */
export function agentDirs(
  { cwd, claudeDir, managed, plugins = [], trusted }: AgentSearch,
  files: Files,
): AgentDir[] {
  const agentDir = (scope: AgentDir["scope"], dir: string, reach: string | null = null): AgentDir => ({
    ...{ scope, dir, reach, layout: "tree" },
  });
  const below = (dir: string) => join(dir, ".claude", "agents");
  const top = projectOf(cwd, files);
  const project = ancestors(cwd).filter(
    (dir) => isPathInside(dir, top) && join(dir, ".claude") !== claudeDir,
  );
  return [
    agentDir("enterprise", below(managed)),
    agentDir("enterprise", join(managed, "agents")),
    ...project.map((dir) => agentDir("project", below(dir), trusted() ? null : top)),
    agentDir("user", join(claudeDir, "agents")),
    ...plugins.flatMap((plugin) => {
      const { name, agents, dir } = readPlugin(plugin, files);
      const variables = { CLAUDE_PLUGIN_ROOT: dir, ...plugin.variables };
      return agents.map((one): AgentDir => ({ ...one, variables, scope: "plugin", prefix: `${name}:` }));
    }),
  ];
}
