import { promises as dns, type LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { isGuardedAddress } from "../policy/engine/network-hosts.ts";

/** Resolves a name to every address it has. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Asks the system, as every program does. */
export const systemResolve: Resolve = (host) => dns.lookup(host, { all: true });

/** A name leads to an address that the name does not give away. */
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
  /** The host is private by its own spelling, and the call was allowed with it. */
  readonly isAllowed: boolean;
}

/**
 * The lookup of one connection. It hands out only addresses that it has checked itself, so an answer that changes
 * between a check and the connection has no gap to use. One guarded address refuses the whole answer.
 */
export function guardedLookup({ resolve, namesHost, isAllowed }: GuardOptions): LookupFunction {
  return (hostname, options, callback) => {
    const host = hostname.replace(/\.+$/, "").toLowerCase();
    const answer = isLoopbackName(host) ? Promise.resolve(LOOPBACK) : resolve(hostname);
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

/** These never leave the machine, whatever a name server says (RFC 6761). */
function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}
