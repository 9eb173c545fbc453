import { fetchTarget, hostPattern } from "../../policy/engine/network-hosts.ts";
import type { Judgement } from "../../policy/judgement.ts";
import type { SandboxSettings } from "../../policy/sandbox/sandbox.ts";

/** Denies a WebFetch that no rule decided if the organisation lets only its own domains be reached. */
export function withManagedDomains(
  judgement: Judgement,
  url: string | null,
  { managedDomainsOnly, allowedDomains }: SandboxSettings,
): Judgement {
  if (!managedDomainsOnly || judgement.rule !== undefined) return judgement;
  const { host } = fetchTarget(url ?? "");
  if (host !== null && allowedDomains.some((domain) => hostPattern(domain)?.matches(host))) return judgement;
  const reason =
    "your organisation's settings (allowManagedDomainsOnly) name all domains that can be reached";
  return { decision: "deny", reason, parts: [], grants: [] };
}
