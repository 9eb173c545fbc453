import { shellWord } from "../lib/text.ts";
import type { Command } from "./command.ts";
import type { Option } from "./option.ts";
import { commonFlags } from "./session-flags.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
type CompletedShell = (typeof SHELLS)[number];

interface Word {
  readonly word: string;
  readonly about: string;
}

/** What can be typed after a command, which is empty after `troupe` itself. */
interface Position {
  readonly words: readonly string[];
  readonly next: readonly Word[];
  readonly flags: readonly Option<unknown>[];
}

/** Returns a script that completes commands, subcommands, flags and their values. It is made of the table that help shows. */
export function completionScript(
  shell: CompletedShell,
  commands: readonly Command[],
  prompt: Command,
): string {
  const positions = positionsOf(commands, prompt);
  switch (shell) {
    case "bash":
      return bashScript(positions);
    case "zsh":
      return zshScript(positions);
    case "fish":
      return fishScript(positions);
    default:
      return shell satisfies never;
  }
}

/** Longer names come first: `mcp serve` is not `mcp`. */
function positionsOf(commands: readonly Command[], prompt: Command): readonly Position[] {
  const flagsOf = ({ options }: Command) => [...options, ...Object.values(commonFlags)];
  const top = {
    words: [],
    next: commands
      .filter(({ name }) => !name.includes(" "))
      .map(({ name, summary }): Word => ({ word: name, about: summary })),
    flags: flagsOf(prompt),
  };
  const named = commands
    .map((command): Position => {
      const words = command.name.split(" ");
      return { words, next: subcommandsOf(command, commands), flags: flagsOf(command) };
    })
    .toSorted((a, b) => b.words.length - a.words.length);
  return [...named, top];
}

/** The words that its usage lines begin with, and the rest of longer commands' names. */
function subcommandsOf({ name, usage }: Command, commands: readonly Command[]): readonly Word[] {
  const own = usage.flatMap((line) => {
    const [word = ""] = line.slice(name.length).trim().split(" ");
    const choices = word.split("|").filter((one) => /^[a-z][a-z-]*$/.test(one));
    return choices.map((one): Word => ({ word: one, about: "" }));
  });
  const longer = commands.flatMap((other): Word[] =>
    other.name.startsWith(`${name} `)
      ? [{ word: other.name.slice(name.length + 1), about: other.summary }]
      : [],
  );
  const all = new Map([...own, ...longer].map((one) => [one.word, one]));
  return [...all.values()];
}

/** `choices` of a value, or what sort of path it is. */
type Values =
  | { readonly type: "choices"; readonly choices: readonly string[] }
  | { readonly type: "dirs" | "files" | "any" };

function valuesOf({ value = "" }: Option<unknown>): Values {
  if (/^[\w-]+(\|[\w-]+)+$/.test(value) && value !== value.toUpperCase())
    return { type: "choices", choices: value.split("|") };
  return { type: /\bDIR\b/.test(value) ? "dirs" : /\bFILE\b/.test(value) ? "files" : "any" };
}

/** All flags that take a value, each once, grouped by what the value is. */
function valueFlags(
  positions: readonly Position[],
): readonly (readonly [flags: readonly string[], Values])[] {
  const groups = new Map<string, { flags: Set<string>; values: Values }>();
  for (const option of positions.flatMap(({ flags }) => flags)) {
    if (option.value === undefined) continue;
    const values = valuesOf(option);
    const group = groups.get(JSON.stringify(values)) ?? { flags: new Set(), values };
    groups.set(JSON.stringify(values), group);
    for (const name of namesOf(option)) group.flags.add(name);
  }
  return [...groups.values()].map(({ flags, values }) => [[...flags], values]);
}

function namesOf({ name, aliases = [], short }: Option<unknown>): readonly string[] {
  return [...[name, ...aliases].map((one) => `--${one}`), ...(short ? [`-${short}`] : [])];
}

/** A pattern of `case` for the words that were typed after `troupe`. */
function pattern(words: readonly string[]): string {
  return words.length === 0 ? "*" : `${shellWord(`${words.join(" ")} `)}*`;
}

function bashScript(positions: readonly Position[]): string {
  const values = valueFlags(positions).map(([flags, of]) => {
    const reply = {
      choices: () =>
        `COMPREPLY=($(compgen -W ${shellWord(of.type === "choices" ? of.choices.join(" ") : "")} -- "$cur"))`,
      dirs: () => 'COMPREPLY=($(compgen -d -- "$cur"))',
      files: () => 'COMPREPLY=($(compgen -f -- "$cur"))',
      any: () => "COMPREPLY=()",
    }[of.type]();
    return `    ${flags.join("|")}) ${reply}; return ;;`;
  });
  const cases = positions.map(({ words, next, flags }) => {
    const all = [...next.map(({ word }) => word), ...flags.flatMap(namesOf)];
    return `    ${pattern(words)}) words=${shellWord(all.join(" "))} ;;`;
  });
  return `# Completion of troupe for bash: troupe completion bash > ~/.local/share/bash-completion/completions/troupe
_troupe() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _troupe troupe
`;
}

function zshScript(positions: readonly Position[]): string {
  const item = (word: string, about: string) => shellWord(`${word}:${about.replaceAll(":", "\\:")}`);
  const values = valueFlags(positions).map(([flags, of]) => {
    const reply = {
      choices: () => `compadd -- ${of.type === "choices" ? of.choices.join(" ") : ""}`,
      dirs: () => "_files -/",
      files: () => "_files",
      any: () => "_message value",
    }[of.type]();
    return `    ${flags.join("|")}) ${reply}; return ;;`;
  });
  const cases = positions.map(({ words, next, flags }) => {
    const shown = [
      ...next.map(({ word, about }) => item(word, about)),
      ...flags.flatMap((option) => namesOf(option).map((name) => item(name, option.summary))),
    ];
    return `    ${pattern(words)}) items=(${shown.join(" ")}) ;;`;
  });
  return `#compdef troupe
# Completion of troupe for zsh: troupe completion zsh > a file _troupe in a directory of $fpath
_troupe() {
  local -a items
  case "\${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "\${words[2,CURRENT-1]} " in
${cases.join("\n")}
  esac
  _describe troupe items || _files
}
if [ "$funcstack[1]" = _troupe ]; then _troupe "$@"; else compdef _troupe troupe; fi
`;
}

function fishScript(positions: readonly Position[]): string {
  const lines = positions.flatMap(({ words, next, flags }) => {
    const when = words.length === 0 ? "__fish_use_subcommand" : `__troupe_at ${words.join(" ")}`;
    const start = `complete -c troupe -n ${shellWord(when)}`;
    return [
      ...next.map(({ word, about }) => `${start} -f -a ${word} -d ${shellWord(about)}`),
      ...flags.map((option) => {
        const of = valuesOf(option);
        const value =
          option.value === undefined
            ? ""
            : {
                choices: ` -x -a ${shellWord(of.type === "choices" ? of.choices.join(" ") : "")}`,
                dirs: " -x -a '(__fish_complete_directories)'",
                files: " -r -F",
                any: " -x",
              }[of.type];
        const names = namesOf(option).map((name) =>
          name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        return `${start} ${names.join(" ")}${value} -d ${shellWord(option.summary)}`;
      }),
    ];
  });
  return `# Completion of troupe for fish: troupe completion fish > ~/.config/fish/completions/troupe.fish
function __troupe_at
  set -l typed (commandline -opc)
  string match -q -- "troupe $argv *" "$typed "
end
${lines.join("\n")}
`;
}
