import type { Clock } from "../../lib/clock.ts";
import type { LanguageServer, UnservedLanguage } from "../../lsp/find-servers.ts";
import type { Languages, LanguagesParts } from "../../lsp/open-languages.ts";
import type { Detail } from "../../lsp/show.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import type { Processes } from "../../processes/processes.ts";
import type { Behaviour } from "../../settings/permissions.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { LanguageAnswer, LanguageAsker, LanguageQuestion } from "../../tools/lsp.ts";
import type { Gate } from "../gate/gate.ts";

/** Language servers for a session; trust was checked when they were found. */
export interface LanguageServersOption {
  readonly servers: readonly LanguageServer[];
  readonly unserved: readonly UnservedLanguage[];
  /** Names of servers that exist and may not be started. */
  readonly untrusted: readonly string[];
}

export interface LanguageParts {
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly actors: Pick<Actors, "find">;
  readonly cwd: string;
  newId(): string;
  readonly gate: Pick<Gate, "decideRead">;
  /** Returns where an actor may write now. */
  scopeOf(actor: Actor): WriteScope;
}

/** The language servers of a session. Loads nothing before the first request. */
export function sessionLanguages(option: LanguageServersOption | undefined, parts: LanguageParts) {
  let opening: Promise<Languages> | null = null;
  let opened: Languages | null = null;
  /** True once an agent has edited what servers load and run. */
  let isChanged = false;
  const open = async (found: LanguageServersOption): Promise<Languages> => {
    const languages = await import("../../lsp/open-languages.ts");
    const { processes, clock, newId } = parts;
    opened = languages.openLanguages({
      ...{ servers: found.servers, unserved: found.unserved, processes, clock, newId, pid: process.pid },
      rootOf: ({ actor }) => parts.actors.find(actor)?.root ?? parts.cwd,
      sightOf: sightBy(parts),
    });
    return opened;
  };
  const isOffered = option !== undefined && option.servers.length > 0;
  return {
    /** Null if no server may be started: then there is no tool. */
    service: isOffered
      ? {
          async ask(question: LanguageQuestion, asker: LanguageAsker): Promise<LanguageAnswer> {
            if (isChanged) return { type: "failed", message: CHANGED };
            opening ??= open(option);
            return (await opening).service.ask(question, asker);
          },
        }
      : null,
    joints: {
      prepareCall({ actor: { root }, running: { local, writes } }) {
        if (!local || writes === null) return {};
        if (!isChanged && writes.some(isPackage)) {
          isChanged = true;
          void opened?.servers.close();
        }
        return writes.some((path) => opened?.servers.running(path, root)) ? { watched: true } : {};
      },
      async afterCall({ actor: { root }, running: { writes, cwd }, result, isError, signal }) {
        if (opened === null || writes === null || writes.length === 0) return {};
        const runs = writes.some((path) => opened?.servers.running(path, root));
        const append =
          runs && result !== null && !isError ? await opened.problems(writes, { root, cwd }, signal) : null;
        void opened.servers.wrote(writes, root).catch(() => {});
        return append === null ? {} : { append };
      },
    } satisfies Joints,
    async close() {
      await (await opening)?.servers.close();
    },
  };
}

const CHANGED =
  "An agent of this session has written to node_modules, which language servers load and run. So none is used until the user starts a new session. Search with Grep instead.";

function isPackage(path: string): boolean {
  return path.split(/[/\\]/).includes("node_modules");
}

const SIGHTS: Readonly<Record<Behaviour, Detail>> = { allow: "text", ask: "name", deny: "nothing" };

/** Returns the rules for one request, read once for all its positions. */
function sightBy({ actors, gate, scopeOf }: LanguageParts): LanguagesParts["sightOf"] {
  return ({ actor, cwd }) => {
    const known = new Map<string, Detail>();
    const record = actors.find(actor);
    if (record === undefined) return () => "nothing";
    const where = { cwd, scope: scopeOf(record) };
    return (path) => {
      const sight = known.get(path) ?? SIGHTS[gate.decideRead(path, where)];
      known.set(path, sight);
      return sight;
    };
  };
}

/** Returns why LSP is not offered, for the user, or null if it is or servers were not searched. */
export function whyNoLanguages(option: LanguageServersOption | undefined): string | null {
  if (option === undefined || option.servers.length > 0) return null;
  const { untrusted, unserved } = option;
  if (untrusted.length > 0)
    return `The language servers here (${untrusted.join(", ")}) load code of this directory, and it is not trusted with that; start troupe here and agree, or use --trust.`;
  const [first] = unserved;
  if (first === undefined) return "No file of this directory is in a language that a known server reads.";
  return `There is no language server for ${unserved.map(({ name }) => name).join(", ")}. For ${first.name}: ${first.install}.`;
}
