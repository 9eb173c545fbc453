import { realpath } from "node:fs/promises";
import { expandHome } from "../../lib/paths.ts";
import { isProjectScope, type SettingsRoots, settingsPaths } from "../../settings/paths.ts";
import { combine, type ReadSettings, type Settings } from "../../settings/read-settings.ts";
import { readServerFiles } from "../../settings/server-files.ts";
import { readSettingsFiles, type SettingsFile } from "../../settings/settings-file.ts";
import { holds } from "../engine/path-candidates.ts";
import { foreignGitClause, gitGrants } from "./foreign-git.ts";
import { type Grant, grantsOf } from "./grants.ts";
import { agreementFor } from "./trust-store.ts";

/** Whether the directory's own settings apply in full. */
export type Trust =
  /** They only restrict: no trust is needed. */
  | { readonly type: "nothing-to-grant" }
  | { readonly type: "trusted"; readonly grants: readonly Grant[] }
  | {
      readonly type: "untrusted";
      /** Everything that trust would grant. */
      readonly grants: readonly Grant[];
      /** What is new since the directory was trusted; everything if it never was. */
      readonly fresh: readonly Grant[];
      readonly wasTrusted: boolean;
    };

export interface TrustedSettings extends ReadSettings {
  readonly trust: Trust;
  /** Language servers that load code from the directory. They are trusted separately from everything else. */
  readonly languageServers: Fresh;
}

/** What trusting would grant, and the part that the user has not agreed to. */
export interface Fresh {
  readonly grants: readonly Grant[];
  readonly fresh: readonly Grant[];
}

export interface SettingsSource extends SettingsRoots {
  /** Troupe's own directory, with the file of trusted directories. */
  readonly home: string;
  /** Hooks and servers of plug-ins that the user has agreed to. */
  readonly plugins?: readonly SettingsFile[];
  /** Returns what else in the directory needs trust, such as what its skills may do. */
  readonly more?: () => Promise<readonly Grant[]>;
  /** Returns the language servers; `settings`: as they are if the directory is trusted. */
  readonly languageServers?: (settings: Settings) => Promise<readonly Grant[]>;
}

/** Reads the settings of a session, repeatedly. */
export interface SettingsReader {
  read(): Promise<TrustedSettings>;
  /** Trusts the directory, as last read, for as long as this reader is used. */
  trustForNow(): void;
  /**
   * Returns what git would run in this directory without the user's agreement, as a clause; null if it runs
   * nothing but itself. Read again each time: an agent can enter another repository.
   */
  foreignGit(folder: string): string | null;
  /** True if the user has agreed to this grant, by its digest, when settings were read last. */
  agreed(digest: string): boolean;
}

/**
 * Returns a reader of the settings with what the directory itself may set. `trusts`: the user trusts it for this run
 * (`--trust`), as of the first reading; later grants are a question again (fault 60).
 */
export function settingsReader(source: SettingsSource, trusts: boolean): SettingsReader {
  const agreedNow = new Set<string>();
  let trustsNext = trusts;
  let seen: readonly Grant[] = [];
  let agreed = new Set<string>();
  let isTrustedByName = false;

  function agree(): void {
    for (const { digest } of seen) agreedNow.add(digest);
  }

  return {
    trustForNow: agree,
    async read() {
      const [settings, servers, more = []] = await Promise.all([
        readSettingsFiles(settingsPaths(source)),
        readServerFiles(source),
        source.more?.(),
      ]);
      // A server in a project settings file replaces one of the same name.
      const first = settings.findIndex(({ scope }) => isProjectScope(scope));
      const files = settings.toSpliced(first, 0, ...servers, ...(source.plugins ?? []));
      const untrusted = combine(files, false);
      const ofLanguages = (await source.languageServers?.(combine(files, true).settings)) ?? [];
      seen = [...grantsOf(files), ...gitGrants(source.root), ...more, ...ofLanguages];
      if (trustsNext) agree();
      trustsNext = false;
      isTrustedByName = await isNamed(source.root, untrusted.settings.trustedDirs, source.homedir);
      const { trust, languageServers, warnings } = await judge(source, seen, { agreedNow, isTrustedByName });
      const fresh = trust.type === "untrusted" ? trust.fresh : [];
      const left = new Set([...fresh, ...languageServers.fresh].map(({ digest }) => digest));
      agreed = new Set(seen.flatMap(({ digest }) => (left.has(digest) ? [] : [digest])));
      // Grants of git, skills or agents do not affect trusted settings.
      const counts =
        trust.type !== "nothing-to-grant" && fresh.every(({ git, skill, agent }) => git || skill || agent);
      const combined = counts ? combine(files, true) : untrusted;
      return { ...combined, warnings: [...combined.warnings, ...warnings], trust, languageServers };
    },
    agreed: (digest) => agreed.has(digest),
    foreignGit(folder) {
      if (isTrustedByName && holds(source.root, folder)) return null;
      const fresh = gitGrants(folder).filter(({ digest }) => !agreed.has(digest));
      const known = new Set(seen.map(({ digest }) => digest));
      return foreignGitClause(
        fresh,
        fresh.every(({ digest }) => known.has(digest)),
      );
    },
  };
}

interface Agreed {
  readonly agreedNow: ReadonlySet<string>;
  readonly isTrustedByName: boolean;
}

async function judge(
  { home, root }: SettingsSource,
  all: readonly Grant[],
  { agreedNow, isTrustedByName }: Agreed,
): Promise<Judged> {
  const isAgreedNow = isTrustedByName || all.every(({ digest }) => agreedNow.has(digest));
  const agreement = isAgreedNow ? null : await agreementFor(home, root);
  const agreed = agreement?.type === "read" ? agreement.agreed : null;
  const fresh = isAgreedNow ? [] : all.filter(({ digest }) => !agreed?.has(digest));
  const ofServers = (of: readonly Grant[]) => of.filter(({ languageServer }) => languageServer);
  const ofOthers = (of: readonly Grant[]) => of.filter(({ languageServer }) => !languageServer);
  return {
    trust: trustOf({ grants: ofOthers(all), fresh: ofOthers(fresh) }, agreed !== null),
    languageServers: { grants: ofServers(all), fresh: ofServers(fresh) },
    warnings: fresh.length > 0 && agreement?.type === "broken" ? [agreement.reason] : [],
  };
}

interface Judged extends Pick<TrustedSettings, "trust" | "languageServers"> {
  readonly warnings: readonly string[];
}

function trustOf({ grants, fresh }: Fresh, wasTrusted: boolean): Trust {
  if (grants.length === 0) return { type: "nothing-to-grant" };
  return fresh.length === 0 ? { type: "trusted", grants } : { type: "untrusted", grants, fresh, wasTrusted };
}

/** True if the user's own settings name the directory by its real path: a link elsewhere does not count. */
async function isNamed(root: string, named: readonly string[], homedir: string): Promise<boolean> {
  if (named.length === 0) return false;
  const real = (path: string) => realpath(path).catch(() => null);
  const folder = await real(root);
  if (folder === null) return false;
  const matches = named.map(async (entry) => {
    const path = expandHome(entry, homedir);
    const below = path.endsWith("/**");
    const place = await real(below ? path.slice(0, -3) || "/" : path);
    if (place === null) return false;
    return below ? holds(place, folder) : folder === place;
  });
  return (await Promise.all(matches)).includes(true);
}
