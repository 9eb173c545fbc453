import { settings } from "../../settings/schema.ts";
import { settingName } from "../../settings/setting.ts";
import type { MenuEntry } from "../../terminal/input/completions.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { ReplSession } from "./repl-session.ts";
import { commandSummaries } from "./slash-commands.ts";

/** Returns what can be written after a command. */
export function argumentsOf(
  command: string,
  session: Pick<ReplSession, "models"> | undefined,
): readonly MenuEntry[] {
  if (command === "/config")
    return settings.map((one) => ({ value: settingName(one), description: one.summary }));
  if (command !== "/model") return [];
  return (session?.models.choices() ?? []).map(({ name, model }) => ({
    value: name,
    description: safeLine(model),
  }));
}

/** Returns what can be called after a slash: commands, skills and prompts of servers. */
export function menuOf(session: Pick<ReplSession, "skills" | "mcp"> | undefined): readonly MenuEntry[] {
  const skills = (session?.skills() ?? []).flatMap(({ name, alias, description }) =>
    [name, ...(alias ? [alias] : [])].map((one) => [one, description] as const),
  );
  const prompts = (session?.mcp.prompts() ?? []).map(({ name, description }) => [name, description] as const);
  const all = [...new Map([...prompts, ...skills, ...Object.entries(commandSummaries)])];
  return all
    .filter(([name]) => !name.includes(" "))
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, description]) => ({
      value: `/${name}`,
      ...(description ? { description: safeLine(description) } : {}),
    }));
}
