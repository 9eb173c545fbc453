import { sweepTemporaryFolders } from "../../journal/temporary-folder.ts";
import { type EngineConnection, RemoteHost } from "../../remote/remote-host.ts";
import type { Runners } from "./index.ts";

export interface OpenRunnersOptions
  extends Pick<Runners, "pool" | "key" | "setup" | "remote" | "maxAgents" | "credentials" | "version"> {
  /** Connects to the engine, with the first agent that needs it. Rejects with a sentence. */
  connect(): Promise<EngineConnection>;
}

export function openRunners({ connect, ...rest }: OpenRunnersOptions): Runners {
  const { maxAgents } = rest;
  const given = maxAgents === undefined ? {} : { maxAgents };
  return {
    ...rest,
    createHost(parts) {
      void sweepTemporaryFolders();
      return new RemoteHost({ ...parts, ...given, connect });
    },
  };
}
