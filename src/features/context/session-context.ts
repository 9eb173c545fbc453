import type { Index } from "../../context/assemble.ts";
import { escapeTags } from "../../context/escape-tags.ts";
import {
  type AttachedFacts,
  digestOf,
  type Fact,
  type FactNews,
  factNews,
  knownFacts,
} from "../../context/facts.ts";
import { diskFiles, type Files } from "../../context/files.ts";
import { type Memory, memoryReader } from "../../context/memory/memory.ts";
import type { MemorySearch } from "../../context/memory/memory-paths.ts";
import {
  fitMemory,
  memoryBlock,
  memoryFacts,
  memoryGone,
  memoryRoom,
} from "../../context/memory/memory-text.ts";
import { nearbyGone, nearbyReader } from "../../context/memory/nearby.ts";
import {
  joinReferences,
  type Reference,
  type References,
  referencesIn,
  type ShownDocument,
  type Workspace,
  withDocument,
} from "../../context/references.ts";
import type { Named } from "../../context/skills/render.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Picture } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ActorSpec, ReadEntry } from "../../mailbox/messages.ts";
import { FORK } from "../../mailbox/messages.ts";
import { UNKNOWN_WINDOW } from "../../model/known-models.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Notice } from "../../supervisor/notices.ts";
import type { AgentIndex } from "../agents/agent-types.ts";
import { type SessionSkills, SKILLS_FACT } from "../skills/session-skills.ts";
import { pathPatterns } from "./path-patterns.ts";
import { type Situation, situationFacts, situationGone } from "./situation.ts";

/** What conversations see of their environment, apart from the directory itself. */
export interface SessionContextOptions {
  /** Where to look for memory files; absent: there is no memory, and `@path` in a prompt is text. */
  readonly memory?: Omit<MemorySearch, "cwd" | "denied">;
  /** True for the date and the state of the repository (default false). */
  readonly surroundings?: boolean;
}

/** What a new conversation sees apart from its role and task. */
export interface FirstWords {
  /** For the system prompt. */
  readonly memory: string | null;
  /** The list of skills, or null if it gets none. */
  readonly skills: Index | null;
  /** For its first message. */
  readonly attached: readonly string[];
  /** All of these facts, as the conversation knows them from now on. */
  readonly knows: AttachedFacts;
  readonly reads: readonly ReadEntry[];
  readonly pictures: readonly Picture[];
}

/** The current environment of a session. */
export interface SessionContext {
  /**
   * Refreshes what belongs to a prompt: the state of the repository, the agent types, the files that it names and its
   * attachments. Returns null if there is nothing to wait for.
   */
  userTurn(prompt: string, attached?: readonly Reference[]): Promise<void> | null;
  /** Returns the images that a task of the user names or brings. An agent reads other files itself, in its own worktree. */
  imagesIn(task: string, attached?: readonly Reference[]): readonly Reference[];
  /** `memory`: it sees memory files; `leads`: it is the main conversation. */
  first(of: {
    readonly memory: boolean;
    readonly leads: boolean;
    readonly window: number;
    /** True if it can load skills. */
    readonly skills: boolean;
    /** True if it can start agents. */
    readonly agents: boolean;
    /** True if it can edit files of the checkout. */
    readonly edits: boolean;
    /** The permission mode it cannot exceed. */
    readonly atMost: PermissionMode | undefined;
    /** The images of an agent's task. */
    readonly images: readonly Reference[];
  }): FirstWords;
  /**
   * Returns what has changed since the main conversation last saw it, or null. Any conversation gets the memory of
   * directories in which it has opened files.
   */
  takeNotice(actor: Informed): Notice | null;
}

/** A conversation that gets notices of changes. */
export type Informed = Pick<Actor, "spec" | "turns" | "inbox" | "root">;

export interface KnowledgeParts {
  readonly options: SessionContextOptions;
  /** True if agents of this type see memory files. */
  readonly seesMemory: (type: string) => boolean;
  /** Where the list of skills is. */
  readonly skillListing?: Index["placement"];
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly clock: Pick<Clock, "date">;
  readonly gitStatus: () => Promise<string | null>;
  /** The situation of an agent with this highest mode. */
  readonly situation: (atMost?: PermissionMode) => Situation;
  readonly denied: (path: string) => boolean;
  readonly onWarning: (message: string) => void;
  readonly skills?: Pick<SessionSkills, "fact"> | null;
  readonly agents: Pick<AgentIndex, "fact" | "isInline">;
  /** Checks whether agent types have changed; null if they cannot change. */
  readonly lookAtAgents: (() => Promise<void>) | null;
  /** Shows a document as Read does; `among` documents share the limit of one result. */
  readonly showDocument?: (path: string, among: number) => Promise<ShownDocument>;
  readonly files?: Files;
}

/** Memory text for agents with this much room. */
interface MemoryWords {
  readonly of: Memory;
  readonly room: number;
  readonly block: string | null;
  readonly facts: readonly Fact[];
}

const NO_MEMORY: Memory = { files: [], rules: [], notes: [] };

type WorkspaceParts = Pick<KnowledgeParts, "options" | "cwd" | "folders" | "denied">;

/** Returns null if `@path` is text. */
function workspaceOf({ options, cwd, folders, denied }: WorkspaceParts): Workspace | null {
  return options.memory ? { cwd, folders, homedir: options.memory.homedir, denied } : null;
}

/** Returns a reader of the files that a text names with `@`. */
export function namedFiles(parts: WorkspaceParts, files: Files = diskFiles): (text: string) => Named {
  const workspace = workspaceOf(parts);
  return (text) => {
    const { facts, reads } = joinReferences(workspace === null ? [] : referencesIn(text, workspace, files));
    return { texts: facts.map((fact) => fact.text), reads };
  };
}

export function sessionContext(parts: KnowledgeParts): SessionContext {
  const { options, cwd, clock, denied, onWarning, agents, skills = null, files = diskFiles } = parts;
  const read = options.memory ? memoryReader({ ...options.memory, cwd, denied }, files) : () => NO_MEMORY;
  const skillPlacement = parts.skillListing ?? "attached";
  const warned = new Set<string>();
  const workspace = workspaceOf(parts);
  let status: string | null = null;
  let named: readonly Reference[] = [];
  let words: MemoryWords | null = null;
  const fits = pathPatterns();
  const readers = new Map<ActorId, ReturnType<typeof nearbyReader>>();

  function warnOnce(note: string): void {
    if (!warned.has(note)) onWarning(note);
    warned.add(note);
  }

  function memory(): Memory {
    const now = read();
    now.notes.forEach(warnOnce);
    return now;
  }

  /** The facts of the user turn. */
  function surroundings(seesStatus: boolean): Fact[] {
    if (!options.surroundings) return [];
    const date = dayOf(clock.date());
    return [
      { key: "date", digest: date, text: `Today's date is ${date}.` },
      ...(seesStatus && status !== null ? [gitFact(cwd, status)] : []),
    ];
  }

  function situation(leads: boolean, atMost: PermissionMode | undefined): readonly Fact[] {
    return options.surroundings ? situationFacts(parts.situation(atMost), leads) : [];
  }

  /** Facts of directories in which it has opened files, and rules for such files. */
  function nearby(
    { spec, turns, root }: Informed,
    known: AttachedFacts,
    base: () => Memory,
  ): readonly Fact[] {
    if (options.memory === undefined || !parts.seesMemory(spec.type)) return [];
    const read = readers.get(spec.id) ?? nearbyReader({ ...options.memory, cwd, denied }, files, fits);
    readers.set(spec.id, read);
    const { facts, notes } = read(
      {
        ...{ root, touched: openedIn(spec, turns), known: Object.keys(known) },
        room: Math.floor(memoryRoom(spec.window?.tokens ?? UNKNOWN_WINDOW) / 2),
      },
      base(),
    );
    notes.forEach(warnOnce);
    return facts;
  }

  /** Agents of a session share the text; it is not built again for each turn. */
  function memoryIn(room: number): MemoryWords {
    const now = memory();
    if (words?.of === now && words.room === room) return words;
    const fit = fitMemory(now.files, room);
    if (fit.some((file, place) => file.text.length < (now.files[place]?.text.length ?? 0)))
      warnOnce(tooLong(room));
    words = { of: now, room, block: memoryBlock(now, room), facts: memoryFacts(now, room) };
    return words;
  }

  /** Returns the lists it chooses from: skills if it can load any, agents if it can start any. */
  function listsFor({ tools, window }: Pick<ActorSpec, "tools" | "window">): Fact[] {
    const has = (tool: string) => tools.some(({ name }) => name === tool);
    const tokens = window?.tokens ?? UNKNOWN_WINDOW;
    const list = has("Skill") ? (skills?.fact(tokens) ?? null) : null;
    return [...(list === null ? [] : [list]), ...(has("Agent") ? [agents.fact(tokens)] : [])];
  }

  /** Adds what Read shows of documents. */
  async function withDocuments(references: readonly Reference[]): Promise<readonly Reference[]> {
    const { showDocument } = parts;
    const among = references.filter(hasDocument).length;
    if (showDocument === undefined || among === 0) return references;
    return Promise.all(
      references.map(async (one) =>
        one.document === undefined ? one : withDocument(one, await showDocument(one.document, among)),
      ),
    );
  }

  /** Returns the files that the newest prompt names, once. */
  function takeNamed(): readonly Reference[] {
    const taken = named;
    named = [];
    return taken;
  }

  return {
    userTurn(prompt, attached = []) {
      const mine = [...(workspace === null ? [] : referencesIn(prompt, workspace, files)), ...attached];
      named = mine;
      const documentsNow = withDocuments(mine).then((shown) => {
        // Another prompt may have come since.
        if (named === mine) named = shown;
      });
      const agentsNow = parts.lookAtAgents?.() ?? null;
      if (!options.surroundings)
        return mine.some(hasDocument) ? Promise.all([documentsNow, agentsNow]).then(() => {}) : agentsNow;
      const statusNow = parts.gitStatus().then((now) => {
        status = now;
      });
      return Promise.all([statusNow, agentsNow, documentsNow]).then(() => {});
    },
    imagesIn(task, attached = []) {
      const mine = workspace === null ? [] : referencesIn(task, workspace, files);
      return [...mine, ...attached].filter(({ picture }) => picture !== undefined);
    },
    first({ memory: sees, leads, window, skills: loads, agents: starts, edits, atMost, images }) {
      const remembered = sees ? memoryIn(memoryRoom(window)) : null;
      const { facts, reads, pictures } = joinReferences(leads ? takeNamed() : images);
      const kinds = starts ? [agents.fact(window)] : [];
      const attached = [
        ...kinds.filter((fact) => !agents.isInline(fact)),
        ...surroundings(leads || edits),
        ...situation(leads, atMost),
        ...facts,
      ];
      const list = loads ? (skills?.fact(window) ?? null) : null;
      const known = [...(remembered?.facts ?? []), ...(list === null ? [] : [list]), ...kinds, ...attached];
      return {
        memory: remembered?.block ?? null,
        skills: list === null ? null : { text: list.text, placement: skillPlacement },
        attached: attached.map(({ text }) => text),
        knows: Object.fromEntries(known.map(({ key, digest }) => [key, digest])),
        ...{ reads, pictures },
      };
    },
    takeNotice(actor) {
      const { spec, turns, inbox } = actor;
      const known = knownFacts(spec.knows ?? {}, turns, spec.compacted, inbox.inFlight);
      // Agents end soon and keep the memory and the lists that they started with: these are not looked at, so not gone either.
      if (spec.id !== MAIN) {
        const now = [...nearby(actor, known, memory), ...situation(false, spec.permissionMode)];
        const around = factNews(now, known, (key) => nearbyGone(key) ?? situationGone(key));
        return around === null ? null : contextNotice(around, NOTHING_SHOWN);
      }
      const room = memoryRoom(spec.window?.tokens ?? Number.POSITIVE_INFINITY);
      const references = takeNamed();
      const remembered = memoryIn(room);
      const now = [
        ...remembered.facts,
        ...listsFor(spec),
        ...nearby(actor, known, () => remembered.of),
        ...surroundings(true),
        ...situation(true, spec.permissionMode),
        ...references.map(({ fact }) => fact),
      ];
      const news = factNews(now, known, gone);
      if (news === null) return null;
      const fresh = references.filter(({ fact }) => known[fact.key] !== fact.digest);
      return contextNotice(news, joinReferences(fresh));
    },
  };
}

function tooLong(room: number): string {
  return `The memory files are longer than fits (${room} characters for this model); the ends of those farthest from this directory are left out. \`troupe context\` shows what agents get.`;
}

function hasDocument({ document }: Reference): boolean {
  return document !== undefined;
}

function gone(key: string): string | null {
  return key === SKILLS_FACT
    ? "Skills are no longer available."
    : (memoryGone(key) ?? nearbyGone(key) ?? situationGone(key));
}

const NOTHING_SHOWN = { reads: [], pictures: [] };

/** Returns the files that a conversation has opened since its last compaction, the last ones last. */
function openedIn({ type, inherited, compacted }: ActorSpec, turns: Informed["turns"]): readonly string[] {
  const through = compacted?.through ?? 0;
  // The reads that a fork starts with were its parent's, which got the memory for them.
  const first = type === FORK ? [] : (inherited?.reads ?? []);
  const later = turns
    .filter(({ turn }) => turn > through)
    .flatMap(({ heard, reads }) => [...heard.flatMap((steer) => steer.reads ?? []), ...reads]);
  return [...new Set([...first, ...later].map(({ path }) => path))];
}

function contextNotice({ text, of }: FactNews, shown: Omit<References, "facts">): Notice {
  const { reads, pictures } = shown;
  const title = "what is known of the place has changed";
  return { title, text, ids: of, reads, images: pictures, isQuiet: true };
}

function gitFact(cwd: string, status: string): Fact {
  const text = `Git status of ${cwd}, as it is now:\n${escapeTags(status)}`;
  return { key: "git", digest: digestOf(text), text };
}

/** Returns the day in the user's time zone. */
function dayOf(iso: string): string {
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
