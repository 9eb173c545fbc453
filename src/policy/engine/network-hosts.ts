import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { lazy } from "../../lib/lazy.ts";

/** The parts of a URL that rules use (§7). */
export interface FetchTarget {
  /** In WHATWG form, without brackets and a trailing dot; null if it is not a URL. */
  readonly host: string | null;
  /** Why no rule may allow it, or null. */
  readonly odd: string | null;
  /** True if only a rule with this exact host allows it. */
  readonly guarded: boolean;
}

export function fetchTarget(url: string): FetchTarget {
  const odd =
    /[\p{Cc}\\]/u.test(url) || url !== url.trim()
      ? "it contains a control character, a blank or a backslash"
      : null;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed) return { host: null, odd: "it is no URL", guarded: true };
  const host = parsed.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const scheme =
    parsed.protocol === "http:" || parsed.protocol === "https:" ? null : "only http and https are fetched";
  // Empty credentials vanish in parsing, but a reader may take them for the host.
  const named = /^[a-z][\w+.-]*:[/\\]*[^/\\?#]*@/i.test(url);
  const secret = named || parsed.username !== "" || parsed.password !== "" ? "it contains credentials" : null;
  const empty = host === "" ? "it names no host" : null;
  return { host, odd: odd ?? scheme ?? secret ?? empty, guarded: isGuarded(host) };
}

export interface HostPattern {
  readonly matches: (host: string) => boolean;
  /** It has no wildcard and names one host. */
  readonly exact: boolean;
}

/** Parses `h`, `*.h`, `*`, or `*` within a label; returns null for anything else. */
export function hostPattern(written: string): HostPattern | null {
  const text = written.trim().replace(/\.$/, "").toLowerCase();
  if (text === "" || /[\s/@\\?#]/.test(text)) return null;
  if (text === "*") return { matches: () => true, exact: false };
  if (!text.includes("*")) {
    const host = canonical(text);
    return host === null ? null : { matches: (other) => other === host, exact: true };
  }
  const labels = text.split(".").map(encoded);
  const [first, ...rest] = labels;
  const source = (parts: readonly string[]) =>
    parts.map((part) => part.replace(/[\\^$+?()[\]{}|]/g, "\\$&").replaceAll("*", "[^.]*")).join("\\.");
  const expression =
    first === "*" ? new RegExp(`^(?:[^.]+\\.)+${source(rest)}$`) : new RegExp(`^${source(labels)}$`);
  return { matches: (host) => expression.test(host), exact: false };
}

/** Returns a host in WHATWG form, so that every spelling of an address is equal. */
function canonical(text: string): string | null {
  const bare = text.replace(/^\[|\]$/g, "");
  const url = `http://${isIP(bare) === 6 ? `[${bare}]` : bare}/`;
  if (!URL.canParse(url)) return null;
  const { hostname, port } = new URL(url);
  return port === "" ? hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "") : null;
}

/** A label next to a wildcard cannot be parsed as a host, but is encoded like one. */
function encoded(label: string): string {
  return label.includes("*") ? label : domainToASCII(label) || label;
}

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal)$/;

function isGuarded(host: string): boolean {
  return LOCAL_NAME.test(host.replace(/\.+$/, "")) || (isIP(host) !== 0 && isGuardedAddress(host));
}

/** True if only a rule with its name allows an IP address, and for what is not an address. */
export function isGuardedAddress(address: string): boolean {
  // A zone names a network card, and BlockList cannot parse it.
  const bare = address.replace(/%.*$/, "");
  const version = isIP(bare);
  if (version === 4) return guarded().check(bare, "ipv4");
  return (
    version === 0 ||
    guarded().check(bare, "ipv6") ||
    embedded(canonical(bare) ?? bare).some((inner) => guarded().check(inner, "ipv4"))
  );
}

/** Returns the IPv4 address in an IPv6 one that leads there: mapped, compatible, NAT64, 6to4, ISATAP. */
function embedded(host: string): string[] {
  if (isIP(host) !== 6) return [];
  const groups = expanded(host);
  const at = (i: number) =>
    [
      (groups[i] ?? 0) >> 8,
      (groups[i] ?? 0) & 255,
      (groups[i + 1] ?? 0) >> 8,
      (groups[i + 1] ?? 0) & 255,
    ].join(".");
  const [a, b] = groups;
  if (a === 0x2002) return [at(1)];
  if (a === 0x64 && b === 0xff9b) return [at(6)];
  if (((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe) return [at(6)];
  return groups.slice(0, 4).every((group) => group === 0) ? [at(6)] : [];
}

function expanded(host: string): number[] {
  const [head = "", tail] = host.split("::");
  const numbers = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [left, right] = [numbers(head), numbers(tail ?? "")];
  return tail === undefined
    ? left
    : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}

const GUARDED_4 = [
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24",
  "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3",
  // A cloud's metadata at a public address.
  "168.63.129.16/32",
];
/** `2001::/32` is Teredo: the real address is hidden in it. */
const GUARDED_6 = [
  "::/127 64:ff9b:1::/48 100::/64 2001::/32 2001:db8::/32 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
];

const guarded = lazy(() => {
  const list = new BlockList();
  const add = (subnets: readonly string[], family: "ipv4" | "ipv6") => {
    for (const subnet of subnets.flatMap((line) => line.split(" "))) {
      const [network = "", prefix] = subnet.split("/");
      list.addSubnet(network, Number(prefix), family);
    }
  };
  add(GUARDED_4, "ipv4");
  add(GUARDED_6, "ipv6");
  return list;
});
