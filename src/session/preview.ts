import type { SupervisorEvent } from "../events/event.ts";
import { agentOwnParts, mainOwnParts } from "../features/agents/own-parts.ts";
import { type Preview, previewOf } from "../features/agents/specs.ts";
import { inTemporaryFolder } from "../journal/temporary-folder.ts";
import type { WithheldTool } from "../tools/toolbox.ts";
import { type Counted, countedParts } from "./counted-parts.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import type { SupervisorOptions } from "./options.ts";

/** Milliseconds for all counts together: estimates are at hand. */
const COUNT_MS = 8_000;

/** What a session with these options would send, or why there is no such agent. */
export type Previewed =
  | {
      readonly type: "preview";
      readonly preview: Preview;
      readonly agent: string | null;
      /** Tools that cannot work here, and why. */
      readonly withheld: readonly WithheldTool[];
      /** Null: the server was not asked, or could not say. */
      readonly counted: Counted | null;
    }
  | { readonly type: "unknown"; readonly agents: readonly string[] };

/**
 * What the model of the main conversation (null), or of an agent of a type, would be sent first. A session is opened for
 * it and closed again: its MCP servers start, as their tools are part of the answer; no hook runs, no model is asked,
 * and no session is kept. `prompt`: what the user would say. `counts`: the model's server is asked how many tokens it
 * is, if there is one.
 */
export async function previewContext(
  options: SupervisorOptions,
  agent: string | null,
  { prompt, counts }: { readonly prompt: string; readonly counts: boolean },
  onWarning: (message: string) => void,
): Promise<Previewed> {
  return inTemporaryFolder("context", async (home) => {
    const onEvent = (event: SupervisorEvent) => {
      if (event.type === "warning") onWarning(event.message);
    };
    const session = openSession({ ...options, home, hooks: [] }, onEvent, () =>
      Promise.reject(new Error("Nothing is started here.")),
    );
    try {
      await session.known;
      const found = await preview(session, agent, prompt);
      // What the offline model counts is an estimate, too.
      if (found.type === "unknown" || !counts || options.source.provider === "offline") return found;
      const counted = await countedParts(session.gateway, found.preview, AbortSignal.timeout(COUNT_MS));
      return { ...found, counted };
    } finally {
      await session.close("other");
    }
  });
}

async function preview(
  { common, types, context, spending, ids, servers, withheld }: OpenSession,
  agent: string | null,
  prompt: string,
): Promise<Previewed> {
  if (agent === null) {
    await context.userTurn(prompt);
    return {
      type: "preview",
      preview: previewOf(common, mainOwnParts(common, prompt)),
      agent: null,
      withheld,
      counted: null,
    };
  }
  const definition = types.find(agent);
  if (!definition) return { type: "unknown", agents: types.all.map(({ name }) => name) };
  servers.named.tell(definition);
  const id = ids.actor();
  await servers.hold(id, definition);
  const spawn = { id, parent: null, description: "", prompt, model: undefined, servers: servers.of(id) };
  const parts = previewOf(common, agentOwnParts(common, definition, spawn, spending.budgetOf(definition)));
  return { type: "preview", preview: parts, agent: definition.name, withheld, counted: null };
}
