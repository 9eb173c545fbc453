import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OverlapRule } from "../../../../src/features/writers/file-writers.ts";
import type { WorktreeResult } from "../../../../src/mailbox/worktree.ts";
import type { ModelRequest } from "../../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../../src/model/scripted.ts";
import { seededBy } from "../../../faults/seeded.ts";
import { repositoryWith, type TestRepository } from "../../../support/git-repository.ts";
import { type HostName, supervised } from "../../../support/supervised.ts";
import { textsOf } from "../../../support/texts-of.ts";
import { PERSONS_FILES, Person } from "./person.ts";
import {
  CHECK_COMMAND,
  type Edit,
  editsOf,
  hasMarks,
  namesIn,
  settled,
  sharedFiles,
  withName,
} from "./shared-files.ts";

export interface ManyOptions {
  readonly host: HostName;
  readonly agents: number;
  readonly seed: number;
  readonly overlap: OverlapRule;
  readonly check: boolean;
  /** How the person goes on while agents work: not at all, at each step of an agent, or without a pause. */
  readonly person: "rests" | "works" | "never rests";
}

export interface ManyAgents {
  readonly repository: TestRepository;
  /** The names by which agents sign their edits, in order. */
  readonly results: readonly { readonly name: string; readonly worktree: WorktreeResult | undefined }[];
  /** What each agent wrote, whole files. */
  readonly written: readonly string[];
  readonly edits: readonly (readonly Edit[])[];
  readonly lost: readonly string[];
  /** Edits that agents did without, as whoever had the file waited for them. */
  readonly wentWithout: readonly string[];
  /** Times that edits went back to their owner. */
  readonly wentBack: number;
  /** Merged results that failed the check in the checkout itself. */
  readonly broken: readonly string[];
}

/** So many agents with worktrees of their own in one session, beside a person who works in the checkout. */
export async function manyAgents(
  options: ManyOptions,
  before?: (repository: TestRepository) => void | Promise<void>,
): Promise<ManyAgents> {
  const { host, agents, seed, overlap, check, person: how } = options;
  const random = seededBy(seed);
  const repository = await repositoryWith({ ...sharedFiles(), ...PERSONS_FILES });
  const person = new Person(repository, random);
  await person.begins();
  await before?.(repository);
  const edits = editsOf(agents, random);
  const all = barrier(agents);
  const play = new Play(edits, random.between(2, 5));
  const { supervisor } = supervised(
    host,
    async (request) => {
      if (play.isFirst(request)) await all();
      if (how === "works") {
        person.acts();
        if (random.next() < 0.2) await person.stages();
      }
      return play.next(request);
    },
    {
      cwd: repository.folder,
      permissionMode: "acceptEdits",
      worktree: { overlap, ...(check ? { check: CHECK_COMMAND } : {}) },
      limits: { maxAgents: agents },
    },
  );
  const broken: string[] = [];
  let isOver = false;
  const saving = (async () => {
    while (!isOver && how === "never rests") {
      person.acts();
      await person.stages();
    }
  })();
  const runs = edits.map(async (_, at) => {
    const name = `a${at}`;
    const { summary } = await supervisor.spawn({
      ...{ type: "general-purpose", description: `edits of ${name}`, prompt: `I am ${name}.` },
      isolation: "worktree",
    });
    broken.push(...brokenIn(repository));
    return { name, worktree: summary.worktree };
  });
  const results = await Promise.all(runs).finally(() => {
    isOver = true;
  });
  await saving;
  const lost = how === "rests" ? [] : await person.ends();
  const { written, wentBack, wentWithout } = play;
  return { repository, results, written, edits, lost, wentBack, wentWithout: [...wentWithout], broken };
}

/** Files of the checkout that are no JSON. */
export function brokenIn({ folder }: TestRepository): string[] {
  return Object.keys(sharedFiles()).flatMap((path) => {
    if (!path.endsWith(".json")) return [];
    try {
      JSON.parse(readFileSync(join(folder, path), "utf8"));
      return [];
    } catch (error) {
      return [`${path}: ${error instanceof Error ? error.message : error}`];
    }
  });
}

const TRIES = 3;

/** What the model says: each agent makes its edits, and where they do not fit it keeps both, or leaves it as it is. */
class Play {
  readonly #edits: readonly (readonly Edit[])[];
  /** Every so-many-th agent settles nothing. */
  readonly #stubborn: number;
  readonly #seen = new Set<string>();
  readonly #tries = new Map<string, number>();
  readonly written: string[] = [];
  readonly wentWithout = new Set<string>();
  wentBack = 0;

  constructor(edits: readonly (readonly Edit[])[], stubborn: number) {
    this.#edits = edits;
    this.#stubborn = stubborn;
  }

  isFirst({ actor }: ModelRequest): boolean {
    const isNew = !this.#seen.has(actor);
    this.#seen.add(actor);
    return isNew;
  }

  next(request: ModelRequest): ScriptedTurn {
    const number = numberOf(request);
    const root = /Working directory: (.+)/.exec(request.system.join("\n"))?.[1] ?? "";
    const edits = this.#edits[number] ?? [];
    for (const edit of edits) {
      const file = join(root, edit.path);
      const text = readFileSync(file, "utf8");
      if (hasMarks(text) || namesIn(text, edit.entry).includes(`a${number}`)) continue;
      // A write that was refused is tried again, as often as an agent would.
      const key = `${number} ${edit.path} ${edit.entry}`;
      const tries = (this.#tries.get(key) ?? 0) + 1;
      this.#tries.set(key, tries);
      if (tries <= TRIES) return this.#write(file, withName(text, edit.entry, `a${number}`));
      if (textsOf(request).includes("waits for you"))
        this.wentWithout.add(`a${number}: ${edit.path} ${edit.entry}`);
    }
    const marked = [...new Set(edits.map(({ path }) => join(root, path)))].filter((file) =>
      hasMarks(readFileSync(file, "utf8")),
    );
    if (marked.length > 0) this.wentBack += 1;
    const [first] = number % this.#stubborn === 1 ? [] : marked;
    if (first === undefined)
      return { text: marked.length > 0 ? "I leave it as it is." : `Done, says a${number}.` };
    return this.#write(first, settled(readFileSync(first, "utf8")));
  }

  #write(file_path: string, content: string): ScriptedTurn {
    this.written.push(content);
    return { calls: [{ name: "Write", input: { file_path, content } }] };
  }
}

function numberOf({ messages }: ModelRequest): number {
  return Number(/I am a(\d+)\./.exec(JSON.stringify(messages[0]))?.[1]);
}

/** Resolves for all once so many wait. */
export function barrier(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let left = count;
  return () => {
    left -= 1;
    if (left <= 0) all.resolve();
    return all.promise;
  };
}
