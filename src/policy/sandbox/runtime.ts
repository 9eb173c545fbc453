import { fileURLToPath } from "node:url";
import type { Bounds } from "./bounds.ts";
import type { ThreadData } from "./lane.ts";

/** `@anthropic-ai/sandbox-runtime`, of which everything that we use stands in this file. */
export interface Runtime {
  /** A line for a shell that runs the command inside. Each is answered by one `done`, when it has ended. */
  wrap(command: string, bounds: Bounds, weaker: boolean): Promise<string>;
  done(): void;
  close(): Promise<void>;
}

/** Where the runtime and its seccomp filter lie: in a workspace that has Troupe among its packages, it is held too. */
export function runtimeFolder(): string[] {
  try {
    return [fileURLToPath(new URL("..", import.meta.resolve("@anthropic-ai/sandbox-runtime")))];
  } catch {
    // Then it cannot be loaded either, which is said where it is tried.
    return [];
  }
}

/** Levels that the runtime itself looks through; `nested.ts` has looked already, and in the right folder. */
const LOOKS_NOWHERE = { command: "/bin/sh", args: ["-c", "exit 1", "rg"] };

/**
 * On Linux the builder below the runtime's manager is used: the manager starts two relays for each command and opens
 * a way to its proxy even where no host is allowed, and makes folders writable that we did not name. With no host
 * allowed there is no proxy at all, and the manager's 120 ms of loading are saved.
 */
export async function linuxRuntime({
  bwrap,
  socat,
  relay,
  shell,
  allowedDomains,
}: ThreadData): Promise<Runtime> {
  const { wrapCommandWithSandboxLinux, cleanupBwrapMountPoints } = await import(
    "@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js"
  );
  if (bwrap === null) throw new Error("bubblewrap is not installed");
  const network =
    allowedDomains.length > 0 && socat !== null
      ? await openNetwork(allowedDomains, bwrap, relay ?? socat)
      : null;
  return {
    wrap(command, { allowWrite, denyWrite, denyRead, allowRead }, weaker) {
      return wrapCommandWithSandboxLinux({
        command,
        bwrapPath: bwrap,
        binShell: shell,
        ...(socat === null ? {} : { socatPath: socat }),
        ripgrepConfig: LOOKS_NOWHERE,
        needsNetworkRestriction: true,
        ...network?.way(),
        enableWeakerNestedSandbox: weaker,
        readConfig: { denyOnly: [...denyRead], allowWithinDeny: [...allowRead] },
        writeConfig: { allowOnly: [...allowWrite], denyWithinAllow: [...denyWrite] },
      });
    },
    done: () => cleanupBwrapMountPoints(),
    async close() {
      cleanupBwrapMountPoints({ force: true });
      await network?.close();
    },
  };
}

async function openNetwork(allowedDomains: readonly string[], bwrap: string, socat: string) {
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
  await manager.initialize({
    network: { allowedDomains: [...allowedDomains], deniedDomains: [] },
    filesystem: { allowWrite: [], denyWrite: [], denyRead: [] },
    ripgrep: LOOKS_NOWHERE,
    bwrapPath: bwrap,
    socatPath: socat,
  });
  return {
    /** Asked for each command: a bridge that has died is an error there, not a command without a network filter. */
    way() {
      const [http, socks] = [manager.getLinuxHttpSocketPath(), manager.getLinuxSocksSocketPath()];
      const token = manager.getProxyAuthToken();
      if (http === undefined || socks === undefined) throw new Error("the filter of the network has ended");
      return {
        httpSocketPath: http,
        socksSocketPath: socks,
        ...(token === undefined ? {} : { proxyAuthToken: token }),
      };
    },
    close: () => manager.reset(),
  };
}

/** macOS has Seatbelt; elsewhere nothing of ours has a sandbox. */
export async function otherRuntime({
  platform,
  shell,
  allowedDomains,
  ground,
}: ThreadData): Promise<Runtime> {
  if (platform !== "darwin") throw new Error(`there is no sandbox on ${platform}`);
  const { SandboxManager: manager } = await import("@anthropic-ai/sandbox-runtime");
  const network = { allowedDomains: [...allowedDomains], deniedDomains: [] };
  await manager.initialize({
    network,
    filesystem: { allowWrite: [ground.temporary], denyWrite: [], denyRead: [] },
  });
  return {
    wrap: (command, { allowWrite, denyWrite, denyRead, allowRead }) =>
      manager.wrapWithSandbox(command, shell, {
        filesystem: {
          ...{ allowWrite: [...allowWrite], denyWrite: [...denyWrite] },
          ...{ denyRead: [...denyRead], allowRead: [...allowRead] },
        },
      }),
    done: () => manager.cleanupAfterCommand(),
    close: () => manager.reset(),
  };
}
