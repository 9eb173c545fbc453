import { promises as dns, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isGuardedAddress } from "../policy/engine/network-hosts.ts";

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true });

/** A public name leads to a private address. */
export class GuardedAddressError extends Error {
  readonly address: string;

  constructor(host: string, address: string) {
    super(`${host} leads to ${address}`);
    this.address = address;
  }
}

const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export interface GuardOptions {
  readonly resolve: Resolve;
  /** True if a rule allows this very address. */
  readonly namesHost: (address: string) => boolean;
  /** The host is private by its own name, and a rule allowed the call. */
  readonly isAllowed: boolean;
}

/** Returns only addresses that it has checked itself. One guarded address refuses the whole answer. */
export function guardedLookup({ resolve, namesHost, isAllowed }: GuardOptions): LookupFunction {
  return (hostname, options, callback) => {
    const host = hostname.replace(/\.+$/, "").toLowerCase();
    // These names never leave the machine, even if a name server says otherwise (RFC 6761).
    const isLoopback = host === "localhost" || host.endsWith(".localhost");
    const answer = isLoopback ? Promise.resolve(LOOPBACK) : resolve(hostname);
    answer
      .then((addresses) => {
        const refused = addresses.find(
          ({ address }) => isIP(address) === 0 || (!isAllowed && isRefused(address, namesHost)),
        );
        if (refused) throw new GuardedAddressError(hostname, refused.address);
        const wanted = addresses.filter(({ family }) => !options.family || family === options.family);
        const [first] = wanted;
        if (first === undefined) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
        if (options.all) callback(null, [...wanted]);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, ""));
  };
}

function isRefused(address: string, namesHost: (address: string) => boolean): boolean {
  return isGuardedAddress(address) && !namesHost(address.replace(/%.*$/, ""));
}
