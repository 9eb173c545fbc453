import { isDeepStrictEqual } from "node:util";
import { allOf, type Kept, readCache, readMade, writeKept, writeMade } from "../../context/disk-cache.ts";
import type { Files } from "../../context/files.ts";
import { type Asked, askedFiles, isUnchanged } from "../../context/tracked-files.ts";
import { type ReadAgent, readAgentFile } from "./agent-file.ts";
import { agentIndex, type MadeAgents, madeAgentIndex } from "./agent-index.ts";
import { type AgentsFlag, agentsInFlag } from "./agents-flag.ts";
import type { AgentDefinition } from "./definition.ts";
import { filesBelow } from "./find-files.ts";
import { type AgentGrant, agentGrants } from "./grants.ts";
import { plainName } from "./index.ts";
import type { AgentProblem } from "./problem.ts";
import { leftOutIn, type Replacing, replacedBy, replacingGrant } from "./replacing.ts";
import { inertIn, restrictUntrusted } from "./restrict-untrusted.ts";
import { type AgentPlace, type AgentSearch, agentPlaces } from "./search-paths.ts";

export interface LoadedAgents extends MadeAgents {
  /** Those that are said, with what of it counts. */
  readonly agents: readonly AgentDefinition[];
  /** What does not count as long as nobody has agreed to it, in a sentence; null: nothing. */
  readonly inert: string | null;
}

export interface AgentLibrary {
  /** As they are now: the same object as long as nothing has changed. Reads only files that have. Never rejects. */
  look(): Promise<LoadedAgents>;
  /** What the folder's own definitions ask for. */
  grants(): Promise<readonly AgentGrant[]>;
}

/** What was read of each file, as it was then; `stamp` also says whose it was. */
type Known = Kept<ReadAgent>;

/**
 * Every agent that files and a flag define. The organisation's come before all, then the flag's, the project's and the
 * person's own (checklist A18.1). Whatever is wrong with one of them is a problem, and the others are there.
 */
export function agentLibrary(search: AgentSearch, files: Files, flag?: AgentsFlag): AgentLibrary {
  const index = search.home === undefined ? null : agentIndex(search.home, search.cwd);
  let known: Known | null = null;
  let last: Looked | null = null;

  async function look(): Promise<LoadedAgents> {
    const trusted = search.trusted();
    const still = last?.trusted === trusted ? isUnchanged(last.asked, files) : null;
    if (last !== null && still !== null) return stillAgreed({ ...last, asked: still });
    // What the flag says stands among them.
    const list =
      search.home === undefined || flag !== undefined
        ? null
        : madeAgentIndex(search, { home: search.home, trusted });
    const kept = list === null || last !== null ? null : readMade(list, files);
    if (kept !== null) return looked({ asked: kept.asked, trusted, found: null }, kept.made);
    const asked = askedFiles(files);
    const found = foundIn(agentPlaces(search, asked), asked);
    const before: Known = known ?? (index === null ? new Map() : readCache(index, files));
    const fresh = await allOf(
      found.flatMap(({ paths }) => paths.map((file) => readOnce(file, before, files))),
    );
    const now: Known = new Map(fresh.map(({ path, stamp, read }) => [path, { stamp, read }]));
    const isSame =
      now.size === before.size && fresh.every(({ path, read }) => before.get(path)?.read === read);
    if (index !== null && !isSame) writeKept(index, now);
    known = now;
    const made = chosen(gathered(found, now, flag), trusted);
    if (list !== null) writeMade(list, { asked: asked.asked, made });
    return looked({ asked: asked.asked, trusted, found }, made);
  }

  function looked(at: Pick<Looked, "asked" | "trusted" | "found">, made: MadeAgents): LoadedAgents {
    const grants = agentGrants(made.said).map(({ digest }) => digest);
    const fresh = { ...at, grants, agreed: agreedOf(grants), loaded: counting(made, at.trusted, search) };
    last = last !== null && isLike(last, fresh) ? { ...fresh, loaded: last.loaded } : fresh;
    return last.loaded;
  }

  function stillAgreed(before: Looked): LoadedAgents {
    const agreed = agreedOf(before.grants);
    last = before;
    if (isDeepStrictEqual(agreed, before.agreed)) return before.loaded;
    last = { ...before, agreed, loaded: counting(before.loaded, before.trusted, search) };
    return last.loaded;
  }

  function agreedOf(grants: readonly string[]): readonly string[] {
    return grants.filter((digest) => search.agreed(digest));
  }

  let looking: Promise<unknown> = Promise.resolve();
  function next(): Promise<LoadedAgents> {
    const looked = looking.then(look);
    looking = looked;
    return looked;
  }
  return { look: next, grants: async () => allGrants(await next()) };
}

/** The same whether the directory is trusted or not. */
function allGrants({ said, replacing }: MadeAgents): readonly AgentGrant[] {
  const powers = agentGrants([...said, ...replacing.map(({ definition }) => definition)]);
  const grants = [...replacing.map(replacingGrant), ...powers];
  return [...new Map(grants.map((grant) => [grant.digest, grant])).values()];
}

/** One look, and what came of it. */
interface Looked {
  readonly asked: Asked;
  readonly trusted: boolean;
  /** Null: another session has found them. */
  readonly found: readonly FoundPlace[] | null;
  readonly loaded: LoadedAgents;
  /** What counts only where the person has agreed to it, by its digest. */
  readonly grants: readonly string[];
  /** That to which the person had. */
  readonly agreed: readonly string[];
}

/** Whatever there is besides: the same definitions, which mean the same. */
function isLike(one: Looked, other: Looked): boolean {
  const what = ({ found, agreed, trusted }: Looked) => [found, agreed, trusted];
  return one.found !== null && isDeepStrictEqual(what(one), what(other));
}

/** The same once. */
export function loadAgents(search: AgentSearch, files: Files, flag?: AgentsFlag): Promise<LoadedAgents> {
  return agentLibrary(search, files, flag).look();
}

interface FoundFile {
  readonly path: string;
  readonly stamp: string;
  readonly scope: AgentPlace["scope"];
  /** Why it is not read, after its name. */
  readonly unusable: string | null;
}

interface FoundPlace {
  readonly scope: AgentPlace["scope"];
  readonly paths: readonly FoundFile[];
  readonly left: readonly { readonly path: string; readonly message: string }[];
}

/** Each file once: it may be there by another link, or the person's own folder is the project's. */
function foundIn(places: readonly AgentPlace[], files: Files): FoundPlace[] {
  const seen = new Set<string>();
  return places.map((place) => {
    const { paths, left } = filesBelow(place, files);
    const { scope } = place;
    const found = paths.flatMap((path): FoundFile[] => {
      const look = files.look(path);
      if (look.type === "none") return [];
      if (look.type === "unusable")
        return [{ path, scope, stamp: `${scope} ${look.reason}`, unusable: look.reason }];
      if (seen.has(look.identity)) return [];
      seen.add(look.identity);
      return [{ path, scope, stamp: `${scope} ${look.stamp}`, unusable: null }];
    });
    return { scope, paths: found, left };
  });
}

interface Read {
  readonly path: string;
  readonly stamp: string;
  readonly read: ReadAgent;
}

function readOnce(
  { path, scope, stamp, unusable }: FoundFile,
  known: Known,
  files: Files,
): Read | Promise<Read> {
  const before = known.get(path);
  if (before?.stamp === stamp) return { path, stamp, read: before.read };
  if (unusable === null) return readAgentFile(path, { scope }, files).then((read) => ({ path, stamp, read }));
  const problems = [{ file: path, line: null, message: `The file ${unusable}.` }];
  return { path, stamp, read: { definition: null, line: null, problems } };
}

interface FoundAgent {
  readonly definition: AgentDefinition;
  /** Where it says its name. */
  readonly line: number | null;
}

interface Gathered {
  readonly found: readonly FoundAgent[];
  readonly problems: readonly AgentProblem[];
}

/** In the order in which they count. */
function gathered(places: readonly FoundPlace[], known: Known, flag: AgentsFlag | undefined): Gathered {
  const found: FoundAgent[] = [];
  const problems: AgentProblem[] = [];
  let flagged = flag === undefined;
  for (const { scope, paths, left } of places) {
    if (!flagged && flag !== undefined && scope !== "enterprise") {
      const given = agentsInFlag(flag);
      found.push(...given.agents.map((definition) => ({ definition, line: null })));
      problems.push(...given.problems);
      flagged = true;
    }
    problems.push(...left.map(({ path, message }) => ({ file: path, line: null, message })));
    for (const { path } of paths) {
      const read = known.get(path)?.read;
      problems.push(...(read?.problems ?? []));
      if (read?.definition) found.push({ definition: read.definition, line: read.line });
    }
  }
  return { found, problems };
}

/** One for each name, the first; an untrusted project takes no name of anyone else's (semantics §1). */
function chosen({ found, problems }: Gathered, trusted: boolean): MadeAgents {
  const replacedOf = replacedBy(found.map(({ definition }) => definition));
  const replacing: Replacing[] = [];
  const byName = new Map<string, AgentDefinition>();
  const shadowed: AgentDefinition[] = [];
  const twice: AgentProblem[] = [];
  for (const { definition, line } of found) {
    const key = plainName(definition.name);
    const first = byName.get(key);
    if (first === undefined) {
      const of = replacedOf(definition);
      if (of !== null) replacing.push({ definition, of });
      if (of === null || trusted) byName.set(key, definition);
      else shadowed.push(definition);
      continue;
    }
    shadowed.push(definition);
    const { source } = definition;
    // Somebody who writes a project's own reviewer means to replace his own: that is no mistake.
    if (source === undefined || !("file" in source) || first.source?.scope !== source.scope) continue;
    const other = "file" in first.source ? first.source.file : "";
    twice.push({
      file: source.file,
      line,
      message: `There is an agent ${definition.name} already, in ${other}; this one is not used. Give one of them another name.`,
    });
  }
  return { said: [...byName.values()], shadowed, replacing, problems: [...problems, ...twice] };
}

/** The same with what counts of it. */
function counting(
  { said, shadowed, replacing, problems }: MadeAgents,
  trusted: boolean,
  { agreed }: Pick<AgentSearch, "agreed">,
): LoadedAgents {
  const left = trusted ? null : leftOutIn(replacing);
  const inert = [left, inertIn(said, agreed)].filter((sentence) => sentence !== null);
  return {
    ...{ said, shadowed, replacing, problems },
    agents: said.map((agent) => restrictUntrusted(agent, agreed)),
    inert: inert.length === 0 ? null : inert.join(" "),
  };
}
