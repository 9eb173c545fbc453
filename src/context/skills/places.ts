import { basename, join } from "node:path";
import type { Files } from "../files.ts";
import { upwards } from "../memory/places.ts";
import { shippedSkills } from "./shipped.ts";
import type { SkillOrigin } from "./skill.ts";

/** Where skills are looked for. All folders are absolute. */
export interface SkillSearch {
  readonly cwd: string;
  readonly homedir: string;
  /** Troupe's own folder. */
  readonly home: string;
  /** The folder of the organisation's settings. */
  readonly managed: string;
  /** Folders of plug-ins, each with `skills` and `commands` in it. */
  readonly plugins?: readonly string[];
  /** The skills that Troupe brings (default true). */
  readonly shipped?: boolean;
  /** Slash commands that the program itself has. */
  readonly reserved?: readonly string[];
  /** The person has agreed to what the folder's own files say: links may lead anywhere, and names replace others. */
  readonly trusted: () => boolean;
  /** The person has agreed to this grant of a skill of the folder's (see `skillGrants`), by its digest. */
  readonly agreed: (digest: string) => boolean;
  /** A rule of the person's keeps this file from being read. */
  readonly denied: (path: string) => boolean;
}

/** A folder with skills or commands in it. */
export interface SkillPlace {
  readonly kind: "skill" | "command";
  readonly origin: SkillOrigin;
  readonly folder: string;
  /** Comes before the names of what is in it. */
  readonly prefix: string;
  readonly plugin: string | null;
  /** Its files may be in this folder, and nowhere else without the person's agreement; null: anywhere. */
  readonly reach: string | null;
}

type Where = Pick<SkillSearch, "cwd" | "homedir" | "home" | "managed" | "plugins" | "shipped">;

/**
 * In the order in which names count: the organisation's, the person's, those of the folder and of the folders above it
 * up to the top of its repository, plug-ins', Troupe's own. Of one place a skill counts before a command.
 */
export function skillPlaces(where: Where, files: Files): SkillPlace[] {
  const { cwd, homedir, home, managed, plugins = [], shipped = true } = where;
  const project = projectFolders(cwd, files);
  const top = project.at(-1) ?? cwd;
  return [
    ...both("enterprise", join(managed, ".claude"), { reach: null }),
    ...both("user", join(homedir, ".claude"), { reach: null }),
    ...both("user", home, { reach: null }),
    ...project.flatMap((folder) => both("project", join(folder, ".claude"), { reach: top })),
    ...plugins.flatMap((plugin) => {
      const prefix = `${pluginName(plugin, files)}:`;
      return both("plugin", plugin, { reach: null, prefix, plugin });
    }),
    ...(shipped ? both("shipped", shippedSkills(), { reach: null }).slice(0, 1) : []),
  ];
}

/** The folder and those above it, up to the top of the repository; the folder alone where there is none. */
function projectFolders(cwd: string, files: Files): string[] {
  const folders = upwards(cwd);
  const top = folders.findIndex((folder) => files.look(join(folder, ".git")).type !== "none");
  // A home that is itself a repository says nothing of what lies in it.
  return folders.slice(0, Math.max(top, 0) + 1);
}

function both(
  origin: SkillOrigin,
  folder: string,
  { reach, prefix = "", plugin = null }: Pick<SkillPlace, "reach"> & Partial<SkillPlace>,
): SkillPlace[] {
  const common = { origin, prefix, plugin, reach };
  return [
    { ...common, kind: "skill", folder: join(folder, "skills") },
    { ...common, kind: "command", folder: join(folder, "commands") },
  ];
}

const MANIFEST_BYTES = 64 * 1024;

/** As its manifest says, else its folder's. */
function pluginName(folder: string, files: Files): string {
  const manifest = files.read(join(folder, ".claude-plugin", "plugin.json"), MANIFEST_BYTES);
  const name = manifest.type === "text" ? nameIn(manifest.text) : null;
  return name ?? basename(folder);
}

function nameIn(json: string): string | null {
  try {
    const read: unknown = JSON.parse(json);
    const name: unknown = typeof read === "object" && read !== null ? Reflect.get(read, "name") : null;
    return typeof name === "string" && /^[\w.-]{1,64}$/.test(name) ? name : null;
  } catch {
    return null;
  }
}
