import { literalWord, type ShellWord } from "./words.ts";

/** What a command runs besides itself: other words of its own, or text that a shell reads. */
export interface Inside {
  readonly commands: readonly (readonly ShellWord[])[];
  readonly scripts: readonly string[];
}

/** Values of a wrapper's ordinary options; anything else, and it is not looked past. */
const ORDINARY: Readonly<Record<string, (words: readonly string[]) => number | null>> = {
  timeout(words) {
    const at = past(
      words,
      /^(?:-v|--verbose|--foreground|--preserve-status|-[ks].+|--(?:kill-after|signal)=.+)$/,
      /^(?:-[ks]|--kill-after|--signal)$/,
    );
    return at !== null && /^\d+(?:\.\d*)?[smhd]?$/.test(words[at] ?? "") ? at + 1 : null;
  },
  time: (words) => past(words, /^(?:-p|-v|--portability|--verbose)$/, /^$/),
  nice: (words) => past(words, /^(?:-n-?\d+|-\d+|--\d+|--adjustment=-?\d+)$/, /^(?:-n|--adjustment)$/),
  nohup: (words) => past(words, /^$/, /^$/),
  stdbuf: (words) =>
    past(words, /^(?:-[ioe][L\d]\w*|--(?:input|output|error)=\w+)$/, /^(?:-[ioe]|--(?:input|output|error))$/),
  command: (words) => past(words, /^$/, /^$/),
  builtin: (words) => past(words, /^$/, /^$/),
  xargs: (words) => (words[0]?.startsWith("-") ? null : 0),
};

/** The first word after a row of options; null where there is another option. */
function past(words: readonly string[], flag: RegExp, valued: RegExp): number | null {
  let at = 0;
  while (words[at]?.startsWith("-")) {
    const word = words[at] ?? "";
    if (word === "--") return at + 1;
    if (valued.test(word)) at += 2;
    else if (flag.test(word)) at += 1;
    else return null;
  }
  return at;
}

/** The command behind the wrappers that every rule looks past (§5.5), and whether xargs was one of them. */
export function unwrapped(words: readonly ShellWord[]): {
  readonly words: readonly ShellWord[];
  readonly xargs: boolean;
} {
  let [rest, xargs] = [words, false];
  for (;;) {
    const [command] = rest;
    const skip =
      command?.literal && Object.hasOwn(ORDINARY, command.value) ? ORDINARY[command.value] : undefined;
    if (!command || !skip) return { words: rest, xargs };
    const at = skip(rest.slice(1).map(({ value }) => value));
    const inner = at === null ? [] : rest.slice(1 + at);
    // `command -v` looks up; an option of a wrapper that is not known before it runs could be any.
    if (inner.length === 0 || !rest.slice(1, 1 + (at ?? 0)).every(({ literal }) => literal))
      return { words: rest, xargs };
    xargs ||= command.value === "xargs";
    rest = inner;
  }
}

/** Only deny and ask look through these; no prefix rule allows them (§5.5). Values: options that take the next word. */
const RUNNERS: Readonly<Record<string, RegExp>> = {
  env: /^(?:-[uCS]|--unset|--chdir|--split-string)$/,
  sudo: /^(?:-[ugpChrtTUDR]|--(?:user|group|prompt|close-from|host|role|type|other-user|chdir|chroot|command-timeout))$/,
  doas: /^-[uCa]$/,
  watch: /^(?:-[nq]|--interval|--equexit)$/,
  ionice: /^(?:-[cnpPu]|--class|--classdata)$/,
  setsid: /^$/,
  flock: /^(?:-[wE]|--timeout|--conflict-exit-code)$/,
  xargs: /^(?:-[aEILPnsd]|--(?:arg-file|max-args|max-procs|max-chars|delimiter|process-slot-var))$/,
};

/** These are ordinary commands to an allow rule, but a deny rule sees what they start. */
const STARTERS: Readonly<Record<string, RegExp>> = {
  timeout: /^(?:-[ks]|--kill-after|--signal)$/,
  time: /^(?:-[fo]|--format|--output)$/,
  nice: /^(?:-n|--adjustment)$/,
  nohup: /^$/,
  stdbuf: /^(?:-[ioe]|--(?:input|output|error))$/,
  command: /^$/,
  builtin: /^$/,
  exec: /^-a$/,
  chrt: /^(?:-[TPD])$/,
  taskset: /^$/,
  strace: /^-[aeoOpsSuPEI]$/,
  ltrace: /^-[aenopsulFAD]$/,
  unbuffer: /^$/,
  busybox: /^$/,
  toybox: /^$/,
  pkexec: /^(?:-u|--user)$/,
  chroot: /^$/,
  unshare: /^-[SGR]$/,
  caffeinate: /^-[tw]$/,
};

/** These take assignments before the command. */
const SETTERS: ReadonlySet<string> = new Set(["env", "sudo", "doas"]);

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "rbash"]);

export function nameOf(word: ShellWord | undefined): string {
  return (word?.value.replace(/^.*\//s, "") ?? "").toLowerCase();
}

/** Whether a prefix rule must not allow this: it would allow what it starts. */
export function startsOthers(words: readonly ShellWord[]): boolean {
  const name = nameOf(words[0]);
  if (Object.hasOwn(RUNNERS, name) || name === "eval") return true;
  if (SHELLS.has(name)) return shellText(words) !== null;
  if (name === "command") return /^-\w*p/.test(words[1]?.value ?? "");
  return name === "find" && words.some(mayAct);
}

const ACTIONS: readonly string[] = "exec execdir ok okdir delete fls fprint fprint0 fprintf files0-from"
  .split(" ")
  .map((name) => `-${name}`);

/** Whether a word of find is, or may turn out to be, what runs, removes or writes. */
function mayAct({ literal, value, pieces }: ShellWord): boolean {
  if (literal) return /^-fprint/.test(value) || ACTIONS.includes(value);
  if (!pieces.every(({ type }) => type === "text" || type === "glob")) return true;
  // A wildcard finds files, and a file may have an action's name.
  const globs = pieces.flatMap(({ type }, at) => (type === "glob" ? [at] : []));
  const text = (some: typeof pieces) => some.map((piece) => piece.text).join("");
  const [start, end] = [text(pieces.slice(0, globs.at(0))), text(pieces.slice((globs.at(-1) ?? 0) + 1))];
  return ACTIONS.some((action) => action.startsWith(start) && action.endsWith(end));
}

/** What deny and ask rules see behind a command, in the widest sense. */
export function inside(words: readonly ShellWord[], documents: readonly string[]): Inside {
  const name = nameOf(words[0]);
  const rest = words.slice(1);
  if (SHELLS.has(name)) return { commands: [], scripts: [...documents, ...(shellText(words) ?? [])] };
  if (name === "eval") return { commands: [], scripts: [text(rest)] };
  if (name === "trap") return { commands: [], scripts: rest.slice(0, 1).map(({ value }) => value) };
  if (name === "find") return { commands: findCommands(rest), scripts: [] };
  if (name === "command" && looksUp(rest)) return { commands: [], scripts: [] };
  if (name === "watch" || name === "flock" || name === "su" || name === "script" || name === "env") {
    return { commands: candidates(name, rest), scripts: shellStrings(name, rest) };
  }
  return { commands: candidates(name, rest), scripts: [] };
}

/** `command -v` tells where a command is and does not run it. */
function looksUp(words: readonly ShellWord[]): boolean {
  const end = words.findIndex(({ value, literal }) => !literal || !/^-[pvV]+$/.test(value));
  return words.slice(0, end < 0 ? words.length : end).some(({ value }) => /[vV]/.test(value));
}

function candidates(name: string, words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const valued = Object.hasOwn(RUNNERS, name)
    ? RUNNERS[name]
    : Object.hasOwn(STARTERS, name)
      ? STARTERS[name]
      : undefined;
  if (!valued) return [];
  let at = 0;
  while (at < words.length) {
    const value = words[at]?.value ?? "";
    if (value.startsWith("-") && value !== "-") at += valued.test(value) ? 2 : 1;
    else if (SETTERS.has(name) && /^[^=]+=/.test(value)) at += 1;
    else break;
  }
  // A duration, a mask or a lock's file may come first; where options are odd, any word may be the command.
  const optional = ["timeout", "flock", "chrt", "taskset", "chroot", "xargs", "env", "sudo"].includes(name)
    ? 2
    : 1;
  return [0, 1]
    .slice(0, optional)
    .map((more) => words.slice(at + more))
    .filter((found) => found.length > 0);
}

function shellStrings(name: string, words: readonly ShellWord[]): string[] {
  const values = words.map(({ value }) => value);
  const after = (option: RegExp) => {
    const at = values.findIndex((value) => option.test(value));
    return at < 0 ? [] : values.slice(at + 1, at + 2);
  };
  if (name === "watch") return candidates(name, words).map(text);
  if (name === "env") {
    const glued = values.flatMap((value) => /^(?:-S|--split-string=)(.+)$/s.exec(value)?.[1] ?? []);
    return [...glued, ...after(/^(?:-[iv0]*S|--split-string)$/)];
  }
  return after(/^(?:-\w*c|--command)$/);
}

/** The text after `-c`, in whatever cluster; null where the shell is given none. */
function shellText(words: readonly ShellWord[]): string[] | null {
  const at = words.findIndex(({ value }, i) => i > 0 && /^[-+]\w*c/.test(value) && !value.startsWith("--"));
  if (at < 0) return null;
  // Options may stand between `-c` and its text.
  return words
    .slice(at + 1)
    .filter(({ value }) => !value.startsWith("-"))
    .slice(0, 1)
    .map(({ value }) => value);
}

function findCommands(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const starts = words.flatMap(({ value }, at) =>
    /^-(?:exec|execdir|ok|okdir)$/.test(value) ? [at + 1] : [],
  );
  const roots = findRoots(words);
  return starts.map((start) => {
    const rest = words.slice(start);
    const end = rest.findIndex(({ value }) => value === ";" || value === "+");
    const command = end < 0 ? rest : rest.slice(0, end);
    return command.flatMap((word) => (word.value === "{}" ? roots.found : [word]));
  });
}

/** Where find begins, and whether it acts only on some of what it finds. */
export function findRoots(words: readonly ShellWord[]): {
  readonly found: readonly ShellWord[];
  readonly filtered: boolean;
} {
  const options = words.findIndex(({ value }) => !/^-(?:[HLP]|O\d|D)$/.test(value));
  const from = options < 0 ? [] : words.slice(options);
  const end = from.findIndex(({ value, literal }) => literal && /^[-(!]/.test(value));
  const roots = end < 0 ? from : from.slice(0, end);
  const values = words.map(({ value }) => value);
  const filtered =
    values.some(
      (value, at) =>
        /^-(?:i?name|i?path|i?wholename|i?regex)$/.test(value) && /[^*?.]/.test(values[at + 1] ?? ""),
    ) &&
    !values.some(
      (value) => value === "-o" || value === "-or" || value === "," || value === "!" || value === "-not",
    );
  return { found: roots.length > 0 ? roots : [literalWord(".")], filtered };
}

function text(words: readonly ShellWord[]): string {
  return words.map(({ value }) => value).join(" ");
}
