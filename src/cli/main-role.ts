import type { AgentDefinition } from "../context/agents/definition.ts";
import type { AgentModels } from "../model/model-names.ts";
import type { SupervisorOptions } from "../session/options.ts";
import { agentType } from "./agents/session-agents.ts";
import type { Arguments } from "./arguments.ts";
import { quoted, UsageError } from "./exit-codes.ts";
import type { Option } from "./option.ts";
import { readFlagFile } from "./read-input.ts";
import { mainFlags as flags, sessionFlags } from "./session-flags.ts";

/** Throws a `UsageError` if two flags name a role, or if the conversation that is resumed has one already. */
export function assertOneRole(args: Arguments, isResumed: boolean): void {
  const [first, second] = Object.values<Option<unknown>>(flags).filter((flag) => args.given(flag).length > 0);
  if (first === undefined) return;
  if (second !== undefined)
    throw new UsageError(
      `--${first.name} and --${second.name} both say what the main conversation is; give one of them.`,
    );
  if (isResumed)
    throw new UsageError(
      `--${first.name} is for a new conversation; one that is resumed keeps its role. Leave it out.`,
    );
}

/** Returns the text that replaces the main conversation's role, if one does. */
export async function readSystemPrompt(args: Arguments, cwd: string): Promise<string | undefined> {
  const file = args.value(flags.systemPromptFile);
  if (file === undefined) return args.value(flags.systemPrompt);
  return readPromptFile("--system-prompt-file", file, cwd);
}

/** Returns the text that is added to the system prompt, if one is. */
export async function readAppendedPrompt(args: Arguments, cwd: string): Promise<string | undefined> {
  const { appendSystemPrompt, appendSystemPromptFile } = sessionFlags;
  const text = args.value(appendSystemPrompt);
  const file = args.value(appendSystemPromptFile);
  if (file === undefined) return text;
  const [one, other] = [`--${appendSystemPrompt.name}`, `--${appendSystemPromptFile.name}`];
  if (text === undefined) return readPromptFile(other, file, cwd);
  throw new UsageError(`${one} and ${other} both add to the system prompt; give one of them.`);
}

async function readPromptFile(flag: string, file: string, cwd: string): Promise<string> {
  const text = await readFlagFile(flag, file, cwd);
  if (text.trim() === "") throw new UsageError(`${flag}: ${quoted(file)} is empty.`);
  return text;
}

/** Returns the definition that the main conversation takes its prompt, tools and model from. */
export async function findMainAgent(
  args: Arguments,
  agents: readonly AgentDefinition[],
  models: AgentModels,
): Promise<SupervisorOptions["mainAgent"]> {
  const name = args.value(flags.agent);
  if (name === undefined) return undefined;
  const { definitionsWith, listAgents } = await import("../features/agents/listing.ts");
  const type = agentType(name, listAgents(agents, models));
  return definitionsWith(agents, models).find((definition) => definition.name === type);
}
