import { resolveTools } from "../context/agents/tool-names.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { AgentTool, CommandLimits } from "../mailbox/messages.ts";
import { matchesToolName } from "../policy/engine/rule-syntax.ts";
import type { PermissionLevel } from "../policy/user-requests.ts";
import { bashToolWithin } from "./bash.ts";
import { bindTool, type InvalidCall, type ReadyCall, type SealedTool } from "./bind-tool.ts";
import type { CustomTool } from "./define-tool.ts";
import { descriptionOf, refusedSchema, schemaOf } from "./definition.ts";
import { agentTools } from "./index.ts";
import type { AgentCallContext, CallContext, Offered } from "./tool.ts";
import { CALLER, SEARCH } from "./tool-search.ts";

/** What the gate needs to know of a tool, wherever it runs. */
export interface KnownTool {
  readonly names: readonly string[];
  readonly level: PermissionLevel;
  /** It may run again if it is not known how its first run ended. */
  readonly repeatable: boolean;
  readonly needsHost?: true;
  readonly offer: Omit<AgentTool, "description" | "input_schema">;
  /** As an agent that has these tools sees it. */
  describe(offered: Offered): AgentTool;
  /** Whether the input fits, what a person sees of the call, and what it touches. */
  prepare(input: unknown): CallClaim | InvalidCall;
  /** A library user's: the permission engine knows only what it declares. */
  readonly isCustom: boolean;
  /** Milliseconds a call of it may take; a library user's has such a deadline, wherever it runs. */
  readonly timeoutMs?: number;
  /** The tool itself, where it runs on the supervisor's side. */
  readonly here: CustomTool | null;
}

/** What a call says of itself before it runs. */
export type CallClaim = Pick<ReadyCall<CallContext>, "type" | "title" | "problem" | "accesses" | "preview">;

export type Allowed = readonly string[] | "all";

/** A tool that the session does not offer, with the reason as sentences. */
export interface WithheldTool {
  readonly tool: string;
  readonly reason: string;
}

/** What MCP servers offer at the moment. */
export interface Served {
  /** To all agents. */
  readonly all: readonly CustomTool[];
  /** Only to agents whose definition brings the server, by its slug. */
  readonly own: ReadonlyMap<string, readonly CustomTool[]>;
  /** Slugs of servers that are not there yet and may still come. */
  readonly awaited: readonly string[];
  /** Takes the place of a tool that is not known here, such as one of a session before. */
  stranger(name: string): CustomTool | null;
}

/** Every tool of the session, in the order models see them. Made first, and filled when all tools are there. */
export class Toolbox {
  #tools: readonly KnownTool[] = [];
  #known: ReadonlySet<string> = new Set();
  readonly #explanations: ((agent: ActorId, tool: string) => string | null)[] = [];
  readonly #made = new Map<string, readonly AgentTool[]>();
  readonly #refused = new WeakMap<AgentTool["input_schema"], boolean>();
  readonly #isOff: (names: readonly string[]) => boolean;
  /** Of MCP servers: every one that there ever was, for agents that were offered it. */
  readonly #served = new Map<string, KnownTool>();
  /** Those of them that are offered now, to all agents or by the server that an agent brings. */
  #offered: readonly KnownTool[] = [];
  #own: ReadonlyMap<string, readonly KnownTool[]> = new Map();
  #awaited: readonly string[] = [];
  #stranger: (name: string) => CustomTool | null = () => null;

  /** `isOff`: a rule forbids all of a tool, so it is not offered. */
  constructor(isOff: (names: readonly string[]) => boolean) {
    this.#isOff = isOff;
  }

  /** `ours` run on the supervisor's side; agents' own tools come first, those of a library user last. */
  fill({
    ours,
    custom,
    commandLimits,
  }: {
    readonly ours: readonly CustomTool[];
    readonly custom: readonly CustomTool[];
    /** Absent for the defaults. */
    readonly commandLimits?: CommandLimits | undefined;
  }): void {
    const own = (tool: SealedTool<AgentCallContext>) =>
      commandLimits !== undefined && tool.name === "Bash" ? bindTool(bashToolWithin(commandLimits)) : tool;
    const all = [
      ...agentTools.map((tool) => known(own(tool), "agent", null, false)),
      ...ours.map((tool) => known(tool, "supervisor", tool, false)),
      // One with a module can run here as well, for agents of a session in which it had none.
      ...custom.map((tool) => known(tool, tool.module === undefined ? "supervisor" : "agent", tool, true)),
    ];
    this.#known = new Set(all.flatMap(({ names }) => names));
    this.#tools = all.filter(
      (tool, place) => !this.#isOff(tool.names) && !isReplaced(tool, all.slice(place + 1)),
    );
  }

  /** Every name there is, also of tools that are switched off. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Asks this, too, why an agent was not offered a tool; it returns null if it does not know. */
  explainWith(explain: (agent: ActorId, tool: string) => string | null): void {
    this.#explanations.push(explain);
  }

  /** Why an agent was not offered a tool, for its model, or null if that is not known. */
  whyAbsent(agent: ActorId, tool: string): string | null {
    for (const explain of this.#explanations) {
      const why = explain(agent, tool);
      if (why !== null) return why;
    }
    return null;
  }

  find(name: string): KnownTool | undefined {
    const found = this.#tools.find((tool) => tool.names.includes(name)) ?? this.#served.get(name);
    if (found) return found;
    const stranger = this.#stranger(name);
    return stranger === null ? undefined : known(stranger, "supervisor", stranger, false);
  }

  /**
   * The tools that MCP servers offer from now on, which come and go: agents that start later are offered these; one
   * that was offered another can still call it, and is answered why not.
   */
  serve({ all, own, awaited, stranger }: Served): void {
    const usable = (tools: readonly CustomTool[]) =>
      tools.flatMap((tool) => {
        if (this.#isOff([tool.name]) || this.#tools.some(({ names }) => names.includes(tool.name))) return [];
        return [known(tool, "supervisor", tool, false)];
      });
    this.#stranger = stranger;
    this.#awaited = awaited;
    this.#offered = usable(all);
    this.#own = new Map([...own].map(([slug, tools]) => [slug, usable(tools)]));
    for (const tool of [...this.#offered, ...[...this.#own.values()].flat()])
      this.#served.set(tool.offer.name, tool);
    // A server can give a tool of the same name another schema.
    this.#made.clear();
  }

  /** The tools a definition allows, without those it forbids; `own`: the servers it brings. Made once for each choice. */
  select(allowed: Allowed, forbidden: readonly string[], own: readonly string[] = []): AgentTool[] {
    const chosen = this.#choose(allowed, forbidden, own);
    const names = chosen.map(({ offer }) => offer.name);
    const key = names.join();
    const made = this.#made.get(key);
    if (made) return [...made];
    const offered = new Set(names);
    const offers = chosen.map((tool) => tool.describe(offered));
    this.#made.set(key, offers);
    return [...offers];
  }

  /** Whether such an agent may still be offered more than it is now, by a server that has not started yet. */
  awaits(allowed: Allowed, forbidden: readonly string[], own: readonly string[]): boolean {
    return this.#awaited.some((slug) => {
      const prefix = `mcp__${slug}__`;
      const wanted =
        allowed === "all" || allowed.some((one) => matchesToolName(one, prefix) || one.startsWith(prefix));
      const isOwn = this.#own.has(slug);
      return (
        wanted && !isNamed([prefix], forbidden) && !this.#isOff([prefix]) && (!isOwn || own.includes(slug))
      );
    });
  }

  /** What finds and calls tools that are only named, for agents that have such. */
  finders(): AgentTool[] {
    return this.#tools.flatMap((tool) => (isFinder(tool) ? [tool.describe(new Set(FINDERS))] : []));
  }

  /** Where a tool comes from. */
  originOf(name: string): "server" | "library" | "built-in" {
    if (this.#served.has(name)) return "server";
    return this.find(name)?.isCustom ? "library" : "built-in";
  }

  /** True if its schema is foreign and would make the API refuse every request; each is checked once. */
  isRefused({ name, input_schema }: AgentTool): boolean {
    const known = this.#refused.get(input_schema);
    if (known !== undefined) return known;
    const isRefused = this.originOf(name) !== "built-in" && refusedSchema(input_schema) !== null;
    this.#refused.set(input_schema, isRefused);
    return isRefused;
  }

  /** Their names alone, which cost nothing. */
  names(allowed: Allowed, forbidden: readonly string[]): string[] {
    return this.#choose(allowed, forbidden, []).map(({ offer }) => offer.name);
  }

  #choose(named: Allowed, forbiddenNames: readonly string[], own: readonly string[]): KnownTool[] {
    const allowed = named === "all" ? named : resolveTools(named, this.#known);
    const forbidden = resolveTools(forbiddenNames, this.#known);
    const brought = own.flatMap((slug) => this.#own.get(slug) ?? []);
    const all = [...this.#tools, ...this.#offered, ...brought];
    return [...new Map(all.map((tool) => [tool.offer.name, tool])).values()]
      .filter((tool) => !isFinder(tool))
      .filter(({ names }) => allowed === "all" || isNamed(names, allowed))
      .filter(({ names }) => !isNamed(names, forbidden));
  }
}

const FINDERS: readonly string[] = [SEARCH, CALLER];

/** No definition chooses these: they come with what they find. A library user's own tool of that name is an ordinary one. */
function isFinder({ offer, isCustom }: KnownTool): boolean {
  return !isCustom && FINDERS.includes(offer.name);
}

/** A definition may name all tools of a server together. */
function isNamed(names: readonly string[], said: readonly string[]): boolean {
  return said.some((one) => names.some((name) => matchesToolName(one, name)));
}

/** A library user's tool takes the place of a built-in one of the same name. */
function isReplaced({ names, isCustom }: KnownTool, later: readonly KnownTool[]): boolean {
  return (
    !isCustom && later.some((other) => other.isCustom && other.names.some((name) => names.includes(name)))
  );
}

function known<Context extends CallContext>(
  tool: SealedTool<Context> & Pick<CustomTool, "module" | "timeoutMs">,
  side: AgentTool["side"],
  here: CustomTool | null,
  isCustom: boolean,
): KnownTool {
  const aliases = [...tool.aliases];
  const { module: url, timeoutMs } = tool;
  const module = url === undefined || timeoutMs === undefined ? {} : { module: { url, timeoutMs } };
  const offer = { name: tool.name, side, aliases, parallel: tool.parallel, ...module };
  return {
    names: [tool.name, ...aliases],
    level: tool.permissionLevel,
    repeatable: tool.repeatable,
    ...(tool.needsHost ? { needsHost: true } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    offer,
    // Here and not before: schemas and prompts of tools that no agent is offered need not be made.
    describe: (offered) => ({
      ...offer,
      description: descriptionOf(tool, offered),
      input_schema: schemaOf(tool),
    }),
    prepare: (input) => tool.prepare(input),
    isCustom,
    here,
  };
}
