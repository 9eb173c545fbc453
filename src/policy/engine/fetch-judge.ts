import type { PermissionMode } from "../../settings/rules.ts";
import type { Books } from "./file-access.ts";
import { decided } from "./file-judge.ts";
import { fetchTarget } from "./network-hosts.ts";
import type { Verdict } from "./verdict.ts";

/** Decides a WebFetch (§7), after whole-tool and field rules that deny or ask. */
export function judgeFetch(books: Books, mode: PermissionMode, url: string): Verdict {
  const { host, odd, guarded } = fetchTarget(url);
  const found = (book: Books["deny"]) =>
    host === null
      ? undefined
      : book.hosts.find((one) => one.host.matches(host) || one.host.matches(host.replace(/\.+$/, "")));
  const deny = found(books.deny);
  if (deny) return decided("deny", `the rule ${deny.rule.text} denies it`, deny.rule);
  const ask = found(books.ask);
  if (ask) return decided("ask", `the rule ${ask.rule.text} asks for it`, ask.rule);
  if (mode === "bypassPermissions") return decided("allow", "all checks are switched off");
  if (odd !== null || host === null)
    return decided("ask", `the address cannot be granted: ${odd ?? "it names no host"}`);
  const allow = books.allow.hosts.find((one) => (!guarded || one.host.exact) && one.host.matches(host));
  const rule = allow?.rule ?? (guarded ? null : books.allow.tool("WebFetch"));
  if (rule) return decided("allow", `the rule ${rule.text} allows it`, rule);
  const reason = guarded
    ? `${host} is a private or local address, which only a rule with its name allows`
    : `no rule allows ${host}`;
  return { ...decided("ask", reason), proposals: [[`WebFetch(domain:${host})`]] };
}
