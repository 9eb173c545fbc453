import type { Clock } from "../../lib/clock.ts";
import { schema } from "../../settings/schema.ts";
import { grantDigest } from "./grants.ts";
import { agreementFor, trustFolder } from "./trust-store.ts";

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
