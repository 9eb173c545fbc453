import type { ListedAgent } from "../../features/agents/listing.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { nearName } from "../../mailbox/near-name.ts";
import type { MergeMode } from "../../mailbox/worktree.ts";
import type { SupervisorHandle } from "../../session/options.ts";
import type { AgentState, AgentView } from "../../supervisor/view.ts";
import { quoted } from "../usage-error.ts";

/** What the tools work with: one session for as long as the client is there. */
export interface Serving {
  /** Opens it where that was not done yet. Rejects, with a sentence, where it cannot be or everything ends. */
  session(): Promise<SupervisorHandle>;
  /** Null before the first call that needs it. */
  opened(): SupervisorHandle | null;
  /** Calls back whenever something about an agent has changed; the answer withdraws it. */
  onChange(listener: () => void): () => void;
  readonly agents: readonly ListedAgent[];
  /** What the person wants for every agent. */
  readonly isolation: "worktree" | undefined;
  readonly merge: MergeMode | undefined;
  /** True if the definition of this agent type gives each agent a worktree. */
  isolates(type: string): boolean;
  readonly clock: Clock;
}

/** The agents of these ids, in their order. Throws a sentence on one that is not there. */
export function agentsNamed({ opened }: Serving, ids: readonly string[]): readonly AgentView[] {
  const views = opened()?.tree() ?? [];
  return ids.map((id) => views.find((view) => view.id === id) ?? unknown(id, views));
}

function unknown(id: string, views: readonly AgentView[]): never {
  const guess = nearName(
    id,
    views.map((view) => view.id),
  );
  const advice = views.length === 0 ? "none was started yet" : "list_agents shows those there are";
  throw new Error(
    `There is no agent ${quoted(id)}${guess ? ` (did you mean ${guess}?)` : ""}; ${advice}, and ids hold only for as long as this connection does.`,
  );
}

interface Patience {
  readonly ms?: number;
  readonly signal: AbortSignal;
}

/** Resolves when all of them have ended, after `ms`, or when the signal is aborted: look at them afterwards. */
export function whenEnded(serving: Serving, ids: readonly ActorId[], patience: Patience): Promise<void> {
  return until(serving, ids, (states) => states.every((state) => state === "ended"), patience);
}

/** The same once all of them work. */
export function whenBegun(serving: Serving, ids: readonly ActorId[], signal: AbortSignal): Promise<void> {
  return until(serving, ids, (states) => states.every((state) => state !== "ended"), { signal });
}

function until(
  { opened, clock, onChange }: Serving,
  ids: readonly ActorId[],
  isIt: (states: readonly AgentState[]) => boolean,
  { ms, signal }: Patience,
): Promise<void> {
  const wanted = new Set(ids);
  const isOver = (): boolean => {
    const views = (opened()?.tree() ?? []).filter(({ id }) => wanted.has(id));
    return signal.aborted || isIt(views.map(({ state }) => state));
  };
  return new Promise((resolve) => {
    if (ms === 0 || isOver()) return resolve();
    const end = (): void => {
      stopListening();
      withdraw();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopListening = onChange(() => {
      if (isOver()) end();
    });
    const withdraw = ms === undefined ? () => {} : clock.after(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
