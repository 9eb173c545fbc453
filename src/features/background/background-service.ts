import { type Clock, pause } from "../../lib/clock.ts";
import { ActorId } from "../../mailbox/ids.ts";
import type { CommandOutput } from "../../mailbox/runs.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { BackgroundService, SessionTasks, TaskView } from "../../tools/background.ts";
import { progressText } from "./agent-progress.ts";
import type { Background, BackgroundCommand } from "./background.ts";

/** Returns the background for the tools: commands and agents under one sort of ID. */
export function backgroundService(
  background: Background,
  actors: Pick<Actors, "find" | "all" | "stop" | "whileWaiting">,
  clock: Clock,
): BackgroundService {
  /** Own commands, and agents below and theirs; never those of a sibling or parent. */
  const reaches = (asker: ActorId, owner: ActorId): boolean => {
    for (let at: ActorId | null | undefined = owner; at; at = actors.find(at)?.spec.parent) {
      if (at === asker) return true;
    }
    return false;
  };
  const agentOf = (id: string): Actor | undefined => {
    const known = ActorId.safeParse(id);
    return known.success ? actors.find(known.data) : undefined;
  };
  const agentFor = (asker: ActorId, id: string) => {
    const agent = agentOf(id);
    return agent && agent.id !== asker && reaches(asker, agent.id) ? agent : undefined;
  };
  const commandFor = (asker: ActorId, id: string) => {
    const command = background.find(id);
    return command && reaches(asker, command.owner) ? command : undefined;
  };

  const find = (asker: ActorId, id: string): TaskView | null => {
    const command = commandFor(asker, id);
    if (command) return commandView(command, clock);
    const agent = agentFor(asker, id);
    return agent ? agentView(agent, clock) : null;
  };

  return {
    find,
    running: (asker) => [
      ...background.running
        .filter(({ owner }) => reaches(asker, owner))
        .map((one) => commandView(one, clock)),
      ...actors
        .all()
        .filter((agent) => agent.id !== asker && agent.hasEnded === false && reaches(asker, agent.id))
        .map((agent) => agentView(agent, clock)),
    ],
    async wait(asker, id, ms, signal) {
      const actor = actors.find(asker);
      const ended = commandFor(asker, id)?.ended ?? agentFor(asker, id)?.ended;
      if (!ended || find(asker, id)?.state !== "running") return;
      const over = new AbortController();
      const late = pause(clock, ms, AbortSignal.any([signal, over.signal]));
      const first = Promise.race([ended, late]);
      try {
        await (actor === undefined ? first : actors.whileWaiting(actor, first));
      } finally {
        over.abort();
      }
    },
    output: (id) =>
      background.find(id) ? background.output(id) : Promise.resolve(reportOf(agentOf(id), clock)),
    async stop(id) {
      if (background.find(id)) return background.stop(id);
      const agent = agentOf(id);
      if (!agent) return;
      actors.stop(agent.id, {
        status: "cancelled",
        reason: "It was stopped by the agent that asked for it.",
      });
      await agent.ended;
    },
    follow: (id, words) => background.follow(id, words),
  };
}

/** The same for the user, who reaches all of them: what they read does not count as seen. */
export function userTasks(background: Background, clock: Clock): SessionTasks {
  return {
    list: () => background.all.map((one) => commandView(one, clock)),
    output: (id) => background.peek(id),
    stop: (id) => background.stop(id, false),
  };
}

function commandView({ id, title, script, startedAt, end }: BackgroundCommand, clock: Clock): TaskView {
  const ms = (end?.at ?? clock.now()) - startedAt;
  const kind = script === undefined ? "command" : "script";
  return { id, kind, title, state: end?.state ?? "running", ending: end?.ending ?? null, ms };
}

function agentView(agent: Actor, clock: Clock): TaskView {
  const { id, spec, summary, startedAt, createdAt, endedAt } = agent;
  const ms = (endedAt ?? clock.now()) - (startedAt ?? createdAt);
  const common = { id, kind: "agent", title: spec.description || spec.type, ms } as const;
  if (summary === null) return { ...common, state: "running", ending: null };
  const how = summary.reason === undefined ? summary.status : `${summary.status} (${summary.reason})`;
  const state = summary.status === "cancelled" ? "killed" : "exited";
  return { ...common, state, ending: `It ended: ${how}.` };
}

/** Returns the report of an ended agent, or the progress of a running one (A22.16, A22.36). */
function reportOf(agent: Actor | undefined, clock: Clock): CommandOutput {
  const text = agent === undefined ? "" : (agent.summary?.text ?? progressText(agent, clock.now()));
  return { bytes: Buffer.byteLength(text), head: text, tail: null, path: null };
}
