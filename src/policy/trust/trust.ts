import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { settingsPlaces, type WhereSettingsAre } from "../settings/places.ts";
import { combine, type ReadSettings, readSettingsFiles } from "../settings/read-settings.ts";
import { type Grant, grantsOf } from "./grants.ts";
import { agreementFor } from "./trust-store.ts";

/** Whether the folder's own settings count in full. */
export type Trust =
  /** They only restrict: there is nothing to trust. */
  | { readonly type: "nothing-to-grant" }
  | { readonly type: "trusted"; readonly grants: readonly Grant[] }
  | {
      readonly type: "untrusted";
      /** All that trusting would grant. */
      readonly grants: readonly Grant[];
      /** What of it is new since the folder was trusted; all of it where it never was. */
      readonly fresh: readonly Grant[];
      readonly wasTrusted: boolean;
    };

export interface TrustedSettings extends ReadSettings {
  readonly trust: Trust;
}

export interface SettingsSource extends WhereSettingsAre {
  /** Troupe's own folder, where it is remembered what is trusted. */
  readonly home: string;
}

/** Reads the settings of a session, again and again. */
export interface SettingsReader {
  read(): Promise<TrustedSettings>;
  /** Trusts the folder, as it was read last, for as long as this reader is used. */
  trustForNow(): void;
}

/**
 * The settings with what the folder itself may say. `trusts`: the person has said so for this run (`--trust`);
 * that holds for what there is at the first reading, and what is granted later is a question again (fault 60).
 */
export function settingsReader(source: SettingsSource, trusts: boolean): SettingsReader {
  const agreedNow = new Set<string>();
  let trustsNext = trusts;
  let seen: readonly Grant[] = [];

  function agree(): void {
    for (const { digest } of seen) agreedNow.add(digest);
  }

  return {
    trustForNow: agree,
    async read() {
      const files = await readSettingsFiles(settingsPlaces(source));
      seen = grantsOf(files);
      if (trustsNext) agree();
      trustsNext = false;
      if (seen.length === 0) return { ...combine(files, false), trust: { type: "nothing-to-grant" } };
      const untrusted = combine(files, false);
      const { trust, warnings } = await judge(source, untrusted, seen, agreedNow);
      const combined = trust.type === "trusted" ? combine(files, true) : untrusted;
      return { ...combined, warnings: [...combined.warnings, ...warnings], trust };
    },
  };
}

async function judge(
  { home, homedir, root }: SettingsSource,
  { settings: { trustedFolders } }: ReadSettings,
  grants: readonly Grant[],
  agreedNow: ReadonlySet<string>,
): Promise<{ readonly trust: Trust; readonly warnings: readonly string[] }> {
  const trusted = { trust: { type: "trusted", grants }, warnings: [] } as const;
  if (grants.every(({ digest }) => agreedNow.has(digest))) return trusted;
  if (await isNamed(root, trustedFolders, homedir)) return trusted;
  const agreement = await agreementFor(home, root);
  const agreed = agreement.type === "read" ? agreement.agreed : null;
  const fresh = grants.filter(({ digest }) => !agreed?.has(digest));
  if (fresh.length === 0) return trusted;
  return {
    trust: { type: "untrusted", grants, fresh, wasTrusted: agreed !== null },
    warnings: agreement.type === "broken" ? [agreement.reason] : [],
  };
}

/** Whether the person's own settings name the folder, by its real path: a link elsewhere is not what they meant. */
async function isNamed(root: string, named: readonly string[], homedir: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => null);
  const folder = await real(root);
  if (folder === null) return false;
  const matches = named.map(async (entry) => {
    const path = entry === "~" || entry.startsWith("~/") ? join(homedir, entry.slice(1)) : entry;
    const below = path.endsWith("/**");
    const meant = await real(below ? path.slice(0, -3) || "/" : path);
    if (meant === null) return false;
    return folder === meant || (below && folder.startsWith(meant.endsWith("/") ? meant : `${meant}/`));
  });
  return (await Promise.all(matches)).includes(true);
}
