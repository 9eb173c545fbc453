import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findAgent } from "../actors/definitions/index.ts";
import type { SupervisorOptions } from "./options.ts";
import { openSession, type Session, type SessionListeners } from "./session.ts";
import { agentParts, mainParts, type Preview } from "./specs.ts";

/** What a session with these options would send, or why there is no such agent. */
export type Previewed =
  | { readonly type: "preview"; readonly preview: Preview; readonly agent: string | null }
  | { readonly type: "unknown"; readonly agents: readonly string[] };

/**
 * What the model of the main conversation (null), or of an agent of a type, would be sent first. A session is opened for
 * it and closed again: its MCP servers start, as their tools are part of the answer; no hook runs, no model is asked,
 * and no session is kept. `prompt`: what the person would say.
 */
export async function previewContext(
  options: SupervisorOptions,
  agent: string | null,
  prompt: string,
  onWarning: (message: string) => void,
): Promise<Previewed> {
  const home = await mkdtemp(join(tmpdir(), "troupe-context-"));
  try {
    const session = openSession({ ...options, home, hooks: [] }, listeners(onWarning));
    try {
      await session.known;
      return await preview(session, agent, prompt);
    } finally {
      await session.close();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function preview(
  { common, definitions, spending, ids }: Session,
  agent: string | null,
  prompt: string,
): Promise<Previewed> {
  if (agent === null) {
    await common.knowledge.userTurn(prompt);
    return { type: "preview", preview: mainParts(common, prompt), agent: null };
  }
  const definition = findAgent(definitions, agent);
  if (!definition) return { type: "unknown", agents: definitions.map(({ name }) => name) };
  const spawn = { id: ids.actor(), parent: null, description: "", prompt, model: undefined };
  const parts = agentParts(common, definition, spawn, spending.budgetOf(definition));
  return { type: "preview", preview: parts, agent: definition.name };
}

/** Nobody acts in it. */
function listeners(onWarning: (message: string) => void): SessionListeners {
  return {
    spawn: () => Promise.reject(new Error("Nothing is started here.")),
    onNotice() {},
    onWarning,
    onTasks() {},
    actors: {
      find: () => undefined,
      all: () => [],
      stop() {},
      changed() {},
      whileWaiting: (_, other) => other,
      tell() {},
    },
    mail: { agents: () => [], send: () => Promise.reject(new Error("Nobody is there.")) },
  };
}
