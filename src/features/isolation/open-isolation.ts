import { processIdentity } from "../../journal/process-identity.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { ActorId, Ids, SessionId } from "../../mailbox/ids.ts";
import type { Location } from "../../mailbox/worktree.ts";
import type { SupervisorOptions } from "../../session/options.ts";
import type { WorktreeService } from "../../tools/worktree/service.ts";
import type { Worktrees } from "../../worktrees/worktrees.ts";
import type { Actors } from "../background/background-service.ts";
import type { Commands } from "../background/commands.ts";
import type { SessionAsks } from "../gate/asking.ts";
import { type Radar, sessionRadar } from "../overlap/session-radar.ts";
import { worktreeService } from "../worktree/worktree-service.ts";
import { Isolation } from "./isolation.ts";
import { lazyWorktrees } from "./lazy-worktrees.ts";
import { worktreeDefaults } from "./worktree-settings.ts";

export interface OpenIsolationParts {
  readonly options: SupervisorOptions;
  readonly session: SessionId;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly commands: Commands;
  readonly asks: SessionAsks;
  readonly actors: Actors;
  onWarning(message: string): void;
}

/** All that a session has of worktrees: those of its agents, the conversation's own, and who writes what in them. */
export interface SessionIsolation {
  readonly isolation: Isolation;
  readonly radar: Radar;
  readonly desk: WorktreeService;
  /** Whether files were ever tracked, by the process that runs git. */
  readonly everTracked: Worktrees["everTracked"];
}

/** Starts nothing: the keeper's process comes with the first tree. */
export function openIsolation(parts: OpenIsolationParts): SessionIsolation {
  const { options, session, clock, ids, commands, asks, actors, onWarning } = parts;
  const { cwd, additionalDirs = [], foreignGit = () => null } = options;
  const settings = { ...worktreeDefaults, ...options.worktree };
  const onDied = () => isolation.diedIn();
  const worktrees = lazyWorktrees({ env: process.env, clock, onWarning, onDied });
  const isolation = new Isolation({
    ...{ worktrees, settings, session, clock, commands, asks, foreignGit, onWarning },
    process: processIdentity(process.pid),
    onChanged: (actor, tree, changed) =>
      radar.changed(
        actor,
        tree.path,
        changed.map(({ path }) => path),
      ),
  });
  const radar = sessionRadar({ ...{ clock, actors, isolation, cwd }, rule: settings.overlap });
  const desk = worktreeService({
    ...{ worktrees, foreignGit, settings },
    where: (actor) => whereIs(actors, actor, cwd),
    home: (actor) => actors.find(actor)?.spec.root ?? cwd,
    move: (actor, to) => isolation.moved(actors.find(actor), to),
    ownerOf: (actor) => isolation.ownerOf(actor),
    newName: () => `session-${ids.actor()}`,
    workspace: [cwd, ...additionalDirs],
  });
  return { isolation, radar, desk, everTracked: worktrees.everTracked };
}

function whereIs(actors: Pick<Actors, "find">, id: ActorId, cwd: string): Location {
  const actor = actors.find(id);
  if (!actor) return { root: cwd, cwd, tree: null };
  return { root: actor.root, cwd: actor.cwd, tree: actor.place?.tree ?? null };
}
