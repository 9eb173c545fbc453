import { valueAt } from "../../lib/json.ts";
import { isShortName } from "./git-source.ts";

/** What the organisation's settings say of marketplaces. */
export interface MarketplacePolicy {
  /** Sources of which none is used. */
  readonly blocked: readonly unknown[];
  /** Only these are used; if undefined, all that are not blocked. */
  readonly only: readonly unknown[] | undefined;
  /** The organisation's file, if it could not be read whole: then no marketplace is used. */
  readonly unreadable: string | null;
}

/** Where a marketplace comes from: its `source` in settings, with an absolute `path`. */
export type PolicySource = Readonly<Record<string, unknown>>;

/** Returns why the organisation does not allow a marketplace, after its name, or null. */
export function policyRefusal(source: PolicySource, policy: MarketplacePolicy): string | null {
  if (policy.unreadable !== null)
    return `is not used, because ${policy.unreadable} could not be read whole and may block it`;
  if (policy.blocked.some((pattern) => matches(pattern, source)))
    return "is blocked by your organisation (blockedMarketplaces)";
  if (policy.only !== undefined && !policy.only.some((pattern) => matches(pattern, source)))
    return "is not one that your organisation allows (strictKnownMarketplaces)";
  return null;
}

/** True if every key of the pattern says the same as the source. Forms of one address are equal. */
function matches(pattern: unknown, source: PolicySource): boolean {
  const text = (of: unknown, key: string) => {
    const value = valueAt(of, [key]);
    return typeof value === "string" ? value : null;
  };
  const address = addressOf(source);
  const pathOf = (of: unknown) => text(of, "path")?.replace(/(?<=.)\/+$/, "") ?? null;
  const path = pathOf(source);
  switch (text(pattern, "source")) {
    case "hostPattern":
      return address !== null && isMatch(text(pattern, "hostPattern"), address.split("/", 1)[0] ?? "");
    case "pathPattern":
      return address === null && isMatch(text(pattern, "pathPattern"), path ?? "");
    case "github":
    case "git":
    case "url": {
      const isSame = (key: string) => text(pattern, key) === null || text(pattern, key) === text(source, key);
      const wanted = addressOf(pattern);
      return wanted !== null && wanted === address && isSame("ref") && isSame("path");
    }
    default:
      return address === null && path !== null && pathOf(pattern) === path;
  }
}

function isMatch(pattern: string | null, text: string): boolean {
  return pattern !== null && new RegExp(pattern).test(text);
}

/** Returns the address of a repository as `host/path`, or null: many forms name one repository. */
function addressOf(source: unknown): string | null {
  const at = (key: string) => valueAt(source, [key]);
  const given = at("source") === "github" ? at("repo") : at("url");
  if (typeof given !== "string") return null;
  const whole = isShortName(given) ? `https://github.com/${given}` : given;
  return whole
    .replace(/^[a-z][\w+.-]*:\/\//i, "")
    .replace(/^[^@/]*@/, "")
    .replace(/^([^/:]+):(?:\d+(?=\/)|(?!\/))/, "$1/")
    .replace(/\/{2,}/g, "/")
    .replace(/(?:\.git)?\/*$/i, "")
    .toLowerCase();
}
