import { numberIn, oneOf, yesOrNo } from "./checks.ts";
import { setting } from "./setting.ts";

/** Which tools are only named to models, until they ask for them. */
export type DeferRule = "auto" | "on" | "off";
/** Where the names of those stand. */
export type DeferListing = "attached" | "inline";
/** Where the list of agents stands. */
export type AgentListPlace = "attached" | "inline";

/** The settings of what models are told: of tools, and of what agents report. */
export const contextCatalogue = {
  deferTools: setting("troupe.deferTools", oneOf<DeferRule>(["auto", "on", "off"]), {
    summary:
      "Whether tools are only named to a model, which finds them with ToolSearch and calls them through UseTool. `auto`: those of MCP servers, where their schemas are more than `troupe.deferToolsAbove`. `on`: always, and built-in ones that are seldom needed.",
    fallback: "`auto`",
  }),
  deferToolsAbove: setting("troupe.deferToolsAbove", numberIn({ min: 0, max: 1 }), {
    summary: "The share of a model's window that the schemas of MCP tools may fill before they are deferred.",
    fallback: "0.1",
  }),
  deferToolsListing: setting("troupe.deferToolsListing", oneOf<DeferListing>(["attached", "inline"]), {
    summary: "Where the names of deferred tools stand: with the first message, or in the system prompt.",
    fallback: "`attached`",
  }),
  agentListing: setting("troupe.agentListing", oneOf<AgentListPlace>(["inline", "attached"]), {
    summary:
      "Where the list of agents stands: in the description of the Agent tool, or with the first message, so that a new agent changes no tool. The environment variable `CLAUDE_CODE_AGENT_LIST_IN_MESSAGES` (`1` or `0`) wins.",
    fallback: "`inline`",
  }),
  forks: setting("troupe.forks", yesOrNo(), {
    summary:
      "Whether an agent may begin with the whole conversation of the one that starts it, as a fork. If not, models are not told of forks.",
    fallback: "true",
  }),
  checkReports: setting("troupe.checkReports", yesOrNo(), {
    summary:
      "Whether what agents report is checked against what they have read, searched, written and run, and what nothing backs is named. A project's settings can only switch it on.",
    fallback: "true",
    foreign: "narrower",
    width: (checks) => (checks === false ? 1 : 0),
  }),
} as const;
