import { realpath } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import { readRegularFile, replaceFile } from "../../lib/files.ts";
import { parseJson } from "../../lib/json.ts";
import { schema } from "../../settings/schema.ts";
import { type Grant, grantDigest } from "./grants.ts";

const Trusted = z.object({
  version: z.literal(1),
  /** By the directory's real path. */
  folders: z.record(z.string(), z.object({ trustedAt: z.string(), grants: z.array(z.string()) })),
});
type Trusted = z.infer<typeof Trusted>;

/** What the user has agreed to for one directory, by digest; `agreed` is null if they were never asked. */
export type Agreement =
  | { readonly type: "read"; readonly agreed: ReadonlySet<string> | null }
  /** A sentence; nothing counts as trusted then. */
  | { readonly type: "broken"; readonly reason: string };

/** Returns the file of trusted directories. `home` is Troupe's own directory. */
export function trustFile(home: string): string {
  return join(home, "trusted.json");
}

export async function agreementFor(home: string, root: string): Promise<Agreement> {
  const read = readStore(home);
  if (read.type === "broken") return read;
  const folder = await realPath(root);
  const found = Object.hasOwn(read.store.folders, folder) ? read.store.folders[folder] : undefined;
  return { type: "read", agreed: found ? new Set(found.grants) : null };
}

/**
 * Records that the user trusts the directory with exactly these grants. Returns null, or a sentence why it was not
 * written. Of two sessions that write at the same moment one may be lost: it then asks again.
 */
export async function trustFolder(
  home: string,
  root: string,
  grants: readonly Pick<Grant, "digest">[],
  clock: Clock,
): Promise<string | null> {
  const read = readStore(home);
  if (read.type === "broken") return read.reason;
  const entry = { trustedAt: clock.date(), grants: grants.map(({ digest }) => digest).sort() };
  const folders = { ...read.store.folders, [await realPath(root)]: entry };
  return replaceFile(trustFile(home), `${JSON.stringify({ version: 1, folders }, null, 2)}\n`, 0o600);
}

type Store =
  | { readonly type: "read"; readonly store: Trusted }
  | { readonly type: "broken"; readonly reason: string };

function readStore(home: string): Store {
  const file = trustFile(home);
  const read = readRegularFile(file);
  switch (read.type) {
    case "absent":
      return { type: "read", store: { version: 1, folders: {} } };
    case "unreadable":
      return broken(`${file} ${read.problem}`);
    case "read": {
      const store = Trusted.safeParse(parseJson(read.bytes.toString()));
      return store.success
        ? { type: "read", store: store.data }
        : broken(`${file} is not as Troupe writes it`);
    }
    default:
      return read satisfies never;
  }
}

function broken(what: string): Store {
  return {
    type: "broken",
    reason: `${what}, so no directory counts as trusted; move it away, then trust your directories again.`,
  };
}

/** A link counts as its target; a missing directory as its name. */
function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/**
 * Records that the user agrees to these allow rules of a directory, in addition to what they have agreed to. Returns
 * null, or a sentence why it was not recorded.
 */
export async function agreeToRules(
  home: string,
  root: string,
  rules: readonly string[],
  clock: Clock,
): Promise<string | null> {
  const before = await agreementFor(home, root);
  if (before.type === "broken") return before.reason;
  const digests = rules.map((rule) => grantDigest(schema.permissions.allow.path, rule));
  const all = new Set([...(before.agreed ?? []), ...digests]);
  return trustFolder(
    home,
    root,
    [...all].map((digest) => ({ digest })),
    clock,
  );
}
