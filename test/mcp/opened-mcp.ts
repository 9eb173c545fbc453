import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { McpEvent, ServerStatus } from "../../src/mcp/mcp.ts";
import { type Mcp, type OpenMcpOptions, openMcp } from "../../src/mcp/open-mcp.ts";
import { type ParsedServers, parseMcpServers } from "../../src/mcp/parse-servers.ts";
import { temporaryFolder } from "../support/temporary.ts";

const SERVERS = join(import.meta.dirname, "servers");

/** An entry of `.mcp.json` for one of the servers beside. */
export function server(script: string, ...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [join(SERVERS, script), ...args] };
}

export function parsed(mcpServers: object, env: Record<string, string> = {}): ParsedServers {
  return parseMcpServers({ mcpServers }, { file: ".mcp.json", env });
}

export interface OpenedMcp {
  readonly mcp: Mcp;
  readonly folder: string;
  readonly warnings: readonly string[];
  readonly events: readonly McpEvent[];
  /** The first event, also of those that were, that this is true of. */
  event(is: (event: McpEvent) => boolean): Promise<McpEvent>;
  state(slug: string): ServerStatus["state"];
}

/** The servers of one test, closed at its end. */
export function opened(mcpServers: object, options: Partial<OpenMcpOptions> = {}): OpenedMcp {
  const folder = temporaryFolder("troupe-mcp-");
  const { servers, problems } = parsed(mcpServers);
  if (problems.length > 0) throw new Error(problems.join("\n"));
  const warnings: string[] = [];
  const events: McpEvent[] = [];
  const listeners = new Set<(event: McpEvent) => void>();
  let files = 0;
  const mcp = openMcp({
    ...{ servers, clock: systemClock, env: process.env, cwd: folder, roots: [folder], home: folder },
    outputs: { next: () => ({ path: join(folder, `output-${++files}.txt`) }) },
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  mcp.onEvent((event) => {
    events.push(event);
    for (const listener of listeners) listener(event);
  });
  onTestFinished(() => mcp.close());
  return {
    ...{ mcp, folder, warnings, events },
    event(is) {
      const before = events.find(is);
      if (before) return Promise.resolve(before);
      return new Promise((resolve) => {
        const listener = (event: McpEvent) => {
          if (is(event)) resolve(event);
        };
        listeners.add(listener);
      });
    },
    state: (slug) => mcp.servers().find((one) => one.slug === slug)?.state ?? { type: "stopped" },
  };
}

/** The same, once all of them have started or failed. */
export async function ready(...given: Parameters<typeof opened>): Promise<OpenedMcp> {
  const all = opened(...given);
  await all.mcp.ready(20_000);
  return all;
}

/** What a failed call has as its result, to match. */
export const failing = (words: string) => ({ isError: true, content: expect.stringContaining(words) });
/** The answer to anything else that failed. */
export const refused = (words: string) => ({ ok: false, message: expect.stringContaining(words) });

export const never: AbortSignal = new AbortController().signal;

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  if (!existsSync("/proc")) {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3));
  } catch {
    return false;
  }
}

/** The children of this process that run, by pid. Empty where there is no /proc. */
export function children(): number[] {
  try {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && isRunning(pid) && parentOf(pid) === process.pid);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
