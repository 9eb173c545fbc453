import type { Command } from "./command.ts";
import { exitCodeHelp } from "./exit-codes.ts";
import type { Option } from "./option.ts";
import { commonFlags } from "./session-flags.ts";

type Row = readonly [left: string, right: string];

const environment: readonly Row[] = [
  ["ANTHROPIC_API_KEY", "key for the model; without it the embedded offline model answers"],
  ["ANTHROPIC_AUTH_TOKEN", "sent as a bearer token, as gateways want it"],
  ["ANTHROPIC_BASE_URL", "any server that speaks the Anthropic Messages API"],
  ["ANTHROPIC_MODEL", "the model, where --model is not given"],
  ["ANTHROPIC_DEFAULT_OPUS_MODEL", "what opus stands for; also _SONNET_ and _HAIKU_"],
  ["TROUPE_MAX_AGENTS", "agents at work at the same time, 1 to 256 (default: 32)"],
  ["TROUPE_HOME", "where sessions are kept (default: ~/.troupe)"],
  ["NO_COLOR, FORCE_COLOR", "colours off, colours on"],
];

/** `troupe --help`. */
export function mainHelp(commands: readonly Command[], prompt: Command): string {
  return sections([
    ["", [["troupe: many agents in worker threads, one summary each.", ""]]],
    ["Usage", commands.flatMap(({ usage }) => usage.map((line): Row => [`troupe ${line}`, ""]))],
    ["Commands", commands.map(({ name, summary }): Row => [name, summary])],
    ["Flags of -p", [...prompt.options, ...common].map(optionRow)],
    ["Environment", environment],
    ["Exit codes", exitCodeHelp.map(([code, meaning]): Row => [String(code), meaning])],
    ["Examples", commands.flatMap(({ examples }) => examples.slice(0, 2))],
    ["", [["troupe COMMAND --help shows the flags of a command.", ""]]],
  ]);
}

/** `troupe COMMAND --help`. */
export function commandHelp({ usage, summary, details = [], options, examples }: Command): string {
  return sections([
    ["", [summary, ...details].map((line): Row => [sentence(line), ""])],
    ["Usage", usage.map((line): Row => [`troupe ${line}`, ""])],
    ["Flags", [...options, ...common].map(optionRow)],
    ["Examples", examples],
    ["", [["troupe --help explains exit codes and environment variables.", ""]]],
  ]);
}

/** What bare `troupe` says where there is no terminal to hold a conversation in. */
export function shortHelp(): string {
  return [
    "A conversation needs a terminal for both what is typed and what is shown, and this is none.",
    'Write troupe -p "your question" instead, which also reads stdin; troupe --help lists everything.',
    "",
  ].join("\n");
}

const common: readonly Option<unknown>[] = [...Object.values(commonFlags)];

function optionRow({ name, short, value, valueIsOptional, summary, fallback }: Option<unknown>): Row {
  const shown = valueIsOptional ? `[${value}]` : value;
  const names = `${short ? `-${short}, ` : ""}--${name}${shown === undefined ? "" : ` ${shown}`}`;
  return [names, fallback === undefined ? summary : `${summary} (default: ${fallback})`];
}

function sections(all: readonly (readonly [title: string, rows: readonly Row[]])[]): string {
  return `${all.map(([title, rows]) => [...(title ? [title] : []), ...table(rows, title ? "  " : "")].join("\n")).join("\n\n")}\n`;
}

/** A left column so wide that the right one would be squeezed gets a line of its own. */
const WIDEST_LEFT = 34;

function table(rows: readonly Row[], lead: string): string[] {
  const left = Math.max(0, ...rows.map(([name]) => name.length).filter((width) => width <= WIDEST_LEFT));
  return rows.flatMap(([name, meaning]) => {
    if (meaning === "") return [`${lead}${name}`];
    if (name.length > left) return [`${lead}${name}`, `${lead}${" ".repeat(left)}  ${meaning}`];
    return [`${lead}${name.padEnd(left)}  ${meaning}`];
  });
}

function sentence(words: string): string {
  const capital = words.charAt(0).toUpperCase() + words.slice(1);
  return capital.endsWith(".") ? capital : `${capital}.`;
}
