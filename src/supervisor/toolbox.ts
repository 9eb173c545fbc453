import type { AgentTool } from "../mailbox/messages.ts";
import { isOffered, isOfferedInMode, type Permissions } from "../policy/gate.ts";
import { definitionOf, descriptionOf } from "../tools/definition.ts";
import { agentTools } from "../tools/index.ts";
import type { Offered } from "../tools/prompt.ts";
import type { InvalidCall, ReadyCall, SealedTool } from "../tools/sealed.ts";
import type { BootNeed, CallContext, PermissionLevel } from "../tools/tool.ts";
import type { CustomTool } from "./custom-tools.ts";

/** What the gate needs to know of a tool, wherever it runs. */
export interface KnownTool {
  readonly names: readonly string[];
  readonly level: PermissionLevel;
  readonly needs?: BootNeed;
  /** What an agent is offered; the description as if it had every tool. */
  readonly offer: AgentTool;
  /** As it is told to an agent that has these tools. */
  describe(offered: Offered): string;
  /** Whether the input fits, what a person sees of the call, and what it touches. */
  prepare(input: unknown): Claim | InvalidCall;
  /** The tool itself, where it runs on the supervisor's side. */
  readonly here: CustomTool | null;
}

/** What a call says of itself before it runs. */
export type Claim = Pick<ReadyCall<CallContext>, "type" | "title" | "accesses">;

/** Every tool of the session, in the order models see them; computed once, so that requests share a prefix. */
export class Toolbox {
  readonly #tools: readonly KnownTool[];

  constructor(supervisorSide: readonly CustomTool[], permissions: Permissions) {
    const local = agentTools
      .filter((tool) => isOfferedInMode(permissions.mode, tool.permissionLevel))
      .map((tool) => known(tool, "agent", null));
    const here = supervisorSide.map((tool) => known(tool, "supervisor", tool));
    this.#tools = [...local, ...here].filter((tool) => isOffered(permissions, tool.names));
  }

  find(name: string): KnownTool | undefined {
    return this.#tools.find((tool) => tool.names.includes(name));
  }

  /** The tools a definition allows, without those it forbids. */
  select(allowed: readonly string[] | "all", forbidden: readonly string[]): AgentTool[] {
    const chosen = this.#tools
      .filter((tool) => allowed === "all" || tool.names.some((name) => allowed.includes(name)))
      .filter((tool) => !tool.names.some((name) => forbidden.includes(name)));
    const offered = new Set(chosen.map(({ offer }) => offer.name));
    return chosen.map(({ offer, describe }) => ({ ...offer, description: describe(offered) }));
  }
}

function known<Context extends CallContext>(
  tool: SealedTool<Context>,
  side: AgentTool["side"],
  here: CustomTool | null,
): KnownTool {
  const aliases = [...tool.aliases];
  return {
    names: [tool.name, ...aliases],
    level: tool.permissionLevel,
    ...(tool.needs ? { needs: tool.needs } : {}),
    offer: { ...definitionOf(tool), side, aliases, parallel: tool.parallel },
    describe: (offered) => descriptionOf(tool, offered),
    prepare: (input) => tool.prepare(input),

    here,
  };
}
