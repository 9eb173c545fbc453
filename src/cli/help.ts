import type { Command } from "./command.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import type { Option } from "./option.ts";
import { tableLines } from "./print.ts";
import { commonFlags } from "./session-flags.ts";

type Row = readonly [left: string, right?: string];

const environment: readonly Row[] = [
  ["ANTHROPIC_API_KEY", "key for the model; without it the embedded offline model answers"],
  ["ANTHROPIC_AUTH_TOKEN", "sent as a bearer token, as gateways want it"],
  ["ANTHROPIC_BASE_URL", "any server that speaks the Anthropic Messages API"],
  ["ANTHROPIC_MODEL", "the model, if --model is not given"],
  ["ANTHROPIC_DEFAULT_OPUS_MODEL", "what opus stands for; also _SONNET_ and _HAIKU_"],
  ["DISABLE_PROMPT_CACHING", "1: no cache_control is sent, for servers that refuse it"],
  ["OPENAI_BASE_URL", "a server of the chat completions API, such as http://localhost:11434/v1"],
  ["OPENAI_API_KEY", "its key, if it wants one"],
  ["OPENAI_MODEL", "its model, if --model is not given"],
  ["TROUPE_MAX_AGENTS", "agents at work at the same time, 1 to 256 (default: 32)"],
  ["TROUPE_HOME", "where sessions are kept (default: ~/.troupe)"],
  ["TROUPE_PLAIN", "1: lines are printed and none is repainted, as with --plain"],
  ["NO_COLOR, FORCE_COLOR", "colours off, colours on"],
];

/** `troupe --help`. */
export function mainHelp(commands: readonly Command[], prompt: Command): string {
  return sections([
    ["", [["troupe: many agents in worker threads, one summary each."]]],
    ["Usage", commands.flatMap(usageRows)],
    ["Commands", commands.map(({ name, summary }): Row => [name, summary])],
    ["Flags of -p", optionRows(prompt.options)],
    ["Environment", environment],
    ["Exit codes", exitCodeHelp.map(([code, meaning]): Row => [String(code), meaning])],
    ["Examples", commands.flatMap(({ examples }) => examples.slice(0, 2))],
    ["", [["troupe COMMAND --help shows the flags of a command."]]],
  ]);
}

/** `troupe COMMAND --help`. */
export function commandHelp(command: Command): string {
  const { summary, details = [], options, examples } = command;
  return sections([
    ["", [[`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`], ...details.map((line): Row => [line])]],
    ["Usage", usageRows(command)],
    ["Flags", optionRows(options)],
    ["Examples", examples],
    ["", [["troupe --help explains exit codes and environment variables."]]],
  ]);
}

/** What bare `troupe` prints if there is no terminal to hold a conversation in. */
export const SHORT_HELP = `A conversation needs a terminal for both input and output, and this is not one.
Write troupe -p "your question" instead, which also reads stdin; troupe --help lists everything.
`;

function usageRows({ usage }: Command): Row[] {
  return usage.map((line): Row => [`troupe ${line}`]);
}

function optionRows(options: readonly Option<unknown>[]): Row[] {
  return [...options, ...Object.values(commonFlags)].map(
    ({ name, short, value, optionalValue, summary, fallback }): Row => {
      const shown = { next: ` [${value}]`, joined: `[=${value}]`, always: ` ${value}` };
      const ending = value === undefined ? "" : shown[optionalValue ?? "always"];
      const names = `${short ? `-${short}, ` : ""}--${name}${ending}`;
      return [names, fallback === undefined ? summary : `${summary} (default: ${fallback})`];
    },
  );
}

/** A left column so wide that the right one would be squeezed gets a line of its own. */
const WIDEST_LEFT = 34;

function sections(all: readonly (readonly [title: string, rows: readonly Row[]])[]): string {
  const texts = all.map(([title, rows]) => {
    const split = rows.flatMap(([left, right]): readonly (readonly string[])[] =>
      right === undefined ? [[left]] : left.length > WIDEST_LEFT ? [[left], ["", right]] : [[left, right]],
    );
    const lines = tableLines(split, { lead: title ? "  " : "", widest: WIDEST_LEFT });
    return [...(title ? [title] : []), ...lines].join("\n");
  });
  return `${texts.join("\n\n")}\n`;
}
