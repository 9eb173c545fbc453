import { errorMessage } from "../../lib/errors.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { SpawnRequest, SupervisorHandle } from "../../session/options.ts";
import { counted } from "../figures.ts";
import { endWithoutAgent, type JobEnd } from "../jobs.ts";
import { endsResult, viewsResult } from "./ends-result.ts";
import { tellProgress } from "./progress-notes.ts";
import type { ServedCall, ServedResult } from "./served-tool.ts";
import type { Serving } from "./serving.ts";
import type { ShownAgents } from "./shown-agent.ts";

type Named = SpawnRequest & { readonly type: string; readonly description: string };

/** One agent each, side by side: one end each, in their order. What cannot start has failed. */
export async function startAndAwait(
  serving: Serving,
  requests: readonly Named[],
  { signal, tell }: ServedCall,
): Promise<ServedResult<ShownAgents>> {
  const session = await serving.session();
  const ids = new Set<ActorId>();
  const onStart = (id: ActorId): void => void ids.add(id);
  const stopTelling = telling(serving, session, ids, tell);
  const ends = await Promise.all(
    requests.map((request) =>
      session.spawn({ ...request, signal, onStart }).catch((error: unknown) => failed(request, error)),
    ),
  );
  stopTelling();
  return endsResult(session, ends, serving.clock.now());
}

/** The same without their ends: they go on when the call is over. */
export async function startInBackground(
  serving: Serving,
  requests: readonly Named[],
): Promise<ServedResult<ShownAgents>> {
  const session = await serving.session();
  const started = await Promise.all(requests.map((request) => startOne(session, request)));
  const failures = started.filter((one) => typeof one !== "string");
  const ids = new Set(started.filter((one) => typeof one === "string"));
  const now = serving.clock.now();
  const views = session.tree().filter(({ id }) => ids.has(id));
  const first = `${counted(views.length, "agent")} started in the background. agent_result waits for reports; stop_agents ends them.`;
  const running = viewsResult(session, views, now, views.length === 0 ? [] : [first]);
  if (failures.length === 0) return running;
  const { texts, data } = endsResult(session, failures, now);
  return {
    texts: [...running.texts, ...texts],
    data: { agents: [...running.data.agents, ...data.agents] },
    isError: views.length === 0,
  };
}

/** Tells the client of these agents, and of those to come, until the answer is called. */
export function telling(
  { clock, onChange }: Serving,
  session: SupervisorHandle,
  ids: ReadonlySet<ActorId>,
  tell: ServedCall["tell"],
): () => void {
  if (tell === null) return () => {};
  return tellProgress({ clock, views: () => session.tree(), ids, onChange, tell });
}

/** Its id as soon as it has one, or why it has none. */
function startOne(session: SupervisorHandle, request: Named): Promise<ActorId | JobEnd> {
  return new Promise((resolve) => {
    session
      .spawn({ ...request, onStart: resolve })
      .catch((error: unknown) => resolve(failed(request, error)));
  });
}

function failed(request: Named, error: unknown): JobEnd {
  return endWithoutAgent(request, "failed", errorMessage(error));
}
