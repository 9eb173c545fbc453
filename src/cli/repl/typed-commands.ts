import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { settings } from "../../settings/schema.ts";
import { settingName } from "../../settings/setting.ts";
import type { MenuEntry } from "../../terminal/input/completions.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { wrapLine, wrapRow } from "../../terminal/wrap.ts";
import { confirmMode } from "./confirm-mode.ts";
import { commandSummaries, runSlashCommand } from "./slash-commands.ts";
import type { SlashContext } from "./slash-context.ts";
import type { Terminal } from "./terminal.ts";
import { runWords, type UserPrograms } from "./user-programs.ts";

export interface UserCommandsParts {
  readonly terminal: Terminal;
  readonly programs: Pick<UserPrograms, "run">;
  now(): number;
  isLeaving(): boolean;
  /** Called with what the model gets of a command in the shell. */
  onRan(report: string): void;
  /** Called after the output of a command. */
  onEnd(): void;
}

type Printed = "terminal" | "paint" | "now" | "confirmMode" | "say" | "stoppable";

/** The commands that the user runs at the prompt: in the shell, after `!`, and slash commands. */
export class UserCommands {
  readonly #parts: UserCommandsParts;
  /** Each stops a slow one. */
  readonly #stops = new Set<AbortController>();

  constructor(parts: UserCommandsParts) {
    this.#parts = parts;
  }

  get areRunning(): boolean {
    return this.#stops.size > 0;
  }

  stop(reason: string): void {
    for (const stop of this.#stops) stop.abort(new Error(reason));
  }

  /** Runs a command in the shell. The model learns of it with the next prompt. */
  async runInShell(command: string): Promise<void> {
    const { terminal, programs, isLeaving, onRan } = this.#parts;
    const stop = new AbortController();
    this.#stops.add(stop);
    const run = await programs.run(command, stop.signal);
    this.#stops.delete(stop);
    if (isLeaving()) return;
    const { shown, report } = runWords(command, run);
    onRan(report);
    this.#print(shown, wrapLine, (rows) => terminal.paint("dim", rows));
  }

  async runSlash(line: string, context: Omit<SlashContext, Printed>): Promise<void> {
    const { terminal, now } = this.#parts;
    const stop = new AbortController();
    const words = await runSlashCommand(line, {
      ...{ ...context, terminal, paint: terminal.paint, now, say: terminal.print },
      confirmMode: (mode) => confirmMode(terminal, mode),
      stoppable: () => {
        this.#stops.add(stop);
        return stop.signal;
      },
    });
    this.#stops.delete(stop);
    if (words !== null) this.#print(words, wrapRow);
  }

  #print(words: string, wrap: typeof wrapLine, look = (rows: string) => rows): void {
    const { columns, print, gap } = this.#parts.terminal;
    const rows = words.split("\n").flatMap((line) => wrap(line, columns()));
    print(look(rows.join("\n")));
    gap();
    this.#parts.onEnd();
  }
}

/** Returns what can be written after a command. */
export function argumentsOf(
  command: string,
  session: Pick<SupervisorHandle, "models"> | undefined,
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
export function menuOf(session: Pick<SupervisorHandle, "skills" | "mcp"> | undefined): readonly MenuEntry[] {
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
