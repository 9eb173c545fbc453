import type { Carrier } from "../../engine/carrier.ts";
import { createSeal } from "../../engine/seal.ts";
import { RemoteHost } from "../../remote/remote-host.ts";
import type { Runners } from "./index.ts";

export interface OpenRunnersOptions extends Pick<Runners, "pool" | "setup" | "version"> {
  /** Shared by all sessions and runners of a fleet. */
  readonly fleetKey: Uint8Array;
  /** Connects to the engine, with the first agent that needs it. Rejects with a sentence. */
  openCarrier(): Promise<Carrier>;
}

export function openRunners({ fleetKey, openCarrier, ...rest }: OpenRunnersOptions): Runners {
  return {
    ...rest,
    createHost: ({ session, clock, onWarning }) =>
      new RemoteHost({
        ...{ session, clock, onWarning, openCarrier, sealer: createSeal(fleetKey, session) },
      }),
  };
}
