import { join } from "node:path";
import type { Files } from "../../context/files.ts";
import { isPathInside, upwards } from "../../context/memory/places.ts";

/** Where agents are defined. All folders are absolute. */
export interface AgentSearch {
  readonly cwd: string;
  readonly homedir: string;
  /** Troupe's own folder, where it is kept what was read of files; absent: each session reads them. */
  readonly home?: string;
  /** The folder of the organisation's settings. */
  readonly managed: string;
  /** Links of the folder's own may lead anywhere. */
  readonly trusted: () => boolean;
  /** The person has agreed to what this digest stands for. */
  readonly agreed: (digest: string) => boolean;
}

export interface AgentPlace {
  readonly scope: "enterprise" | "user" | "project";
  readonly folder: string;
  /** Links may lead no further; null: anywhere. */
  readonly reach: string | null;
}

/** Folders of definitions, those first whose word counts more: the organisation's, then the nearest one of the project. */
export function agentPlaces({ cwd, homedir, managed, trusted }: AgentSearch, files: Files): AgentPlace[] {
  const own = (scope: AgentPlace["scope"], folder: string, reach: string | null = null): AgentPlace => ({
    ...{ scope, reach },
    folder: join(folder, ".claude", "agents"),
  });
  const top = upwards(cwd).find((folder) => files.look(join(folder, ".git")).type !== "none") ?? cwd;
  const projects = upwards(cwd)
    .filter((folder) => isPathInside(folder, top) && folder !== homedir)
    .map((folder) => own("project", folder, trusted() ? null : top));
  return [
    own("enterprise", managed),
    { scope: "enterprise", reach: null, folder: join(managed, "agents") },
    ...projects,
    own("user", homedir),
  ];
}
