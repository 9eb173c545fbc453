import { findRoots } from "./find.ts";
import { readOptions } from "./read-options.ts";
import { type Row, readRow, readTable } from "./rows.ts";
import type { ShellWord } from "./words.ts";

/** What every rule looks past (§5.5), with just these options; the number of words between them and the command. */
const STRIPPED: ReadonlyMap<string, readonly [Row, number]> = new Map(
  [
    ["timeout", "F v k:N s: /foreground", 1],
    ["time", "F p", 0],
    ["nice", "F n:N", 0],
    ["stdbuf", "F i: o: e:", 0],
    ["nohup", "F", 0],
    ["command", "F", 0],
    ["builtin", "F", 0],
    ["xargs", "F", 0],
  ].map(([name, row, skip]) => [String(name), [readRow(String(row)), Number(skip)]]),
);

/** The command behind the wrappers that every rule looks past; `before`: one at which to stop. */
export function unwrap(words: readonly ShellWord[], before?: "xargs"): readonly ShellWord[] {
  let rest = words;
  for (;;) {
    const [command] = rest;
    const known = command?.literal && command.value !== before ? STRIPPED.get(command.value) : undefined;
    if (known === undefined) return rest;
    const [row, skip] = known;
    const { misfit, operands } = readOptions(rest.slice(1), row, true);
    const inner = operands.slice(skip);
    const own = rest.slice(0, rest.length - inner.length);
    const duration = command?.value !== "timeout" || /^\d+(?:\.\d*)?[smhd]?$/.test(operands[0]?.value ?? "");
    // An option of a wrapper that is not known before it runs could be any.
    if (misfit !== null || !duration || inner.length === 0 || !own.every(({ literal }) => literal))
      return rest;
    rest = inner;
  }
}

/** What a command runs besides itself: other commands, and texts that a shell reads. */
export interface Started {
  readonly commands: readonly (readonly ShellWord[])[];
  readonly scripts: readonly string[];
}

/** What starts the command that its words name, for deny and ask rules. `R` is a text that a shell reads. */
const STARTERS: ReadonlyMap<string, Row> = readTable({
  timeout: "F f/foreground k/kill-after: p/preserve-status s/signal: v/verbose",
  time: "F a/append f/format: o/output: p/portability q/quiet v/verbose V/version",
  nice: "F n/adjustment: #",
  stdbuf: "F i/input: o/output: e/error:",
  setsid: "F c/ctty f/fork w/wait",
  ionice: "F c/class: n/classdata: p/pid: P/pgid: u/uid: t/ignore",
  env: "F i/ignore-environment 0/null u/unset: C/chdir: S/split-string:R v/debug a/argv0: /block-signal? /default-signal? /ignore-signal? /list-signal-handling",
  sudo: "F A/askpass b/background B/bell N/no-update E /preserve-env? e/edit H/set-home K/remove-timestamp k/reset-timestamp l/list n/non-interactive P/preserve-groups S/stdin v/validate C/close-from: D/chdir: g/group: h/host: p/prompt: r/role: R/chroot: t/type: T/command-timeout: U/other-user: u/user: i/login s/shell",
  doas: "F a: C: L n s u:",
  watch: "F b/beep c/color e/errexit g/chgexit n/interval: p/precise t/no-title x/exec",
  flock:
    "F c/command:R e/exclusive x E/conflict-exit-code: F/no-fork n/nonblock/nb o/close s/shared u/unlock v/verbose w/wait/timeout:",
  exec: "F a: c l",
  command: "F p v V",
  xargs:
    "F 0/null a/arg-file: d/delimiter: e? E: i? I: l? L: n/max-args: o/open-tty p/interactive P/max-procs: r/no-run-if-empty s/max-chars: t/verbose x/exit /eof? /replace? /max-lines? /process-slot-var: /show-limits",
  su: "F c/command:R l/login m/preserve-environment p f/fast P/pty s/shell: g/group: G/supp-group: /session-command:R",
  // Behind any option of these, every word may be the command.
  "nohup, unbuffer, builtin, busybox, toybox, setarch, linux32, linux64, i386, x86_64, chrt, taskset, strace, ltrace, pkexec, chroot, unshare, caffeinate, script, prlimit, choom, setpriv, nsenter, runuser, uclampset, coresched":
    "F",
});
/** Words of their own that come before the command: a duration, a lock's file, a mask. */
const BEFORE: Readonly<Record<string, number>> = {
  timeout: 1,
  flock: 1,
  chrt: 1,
  taskset: 1,
  chroot: 1,
  su: 1,
  setarch: 1,
};
/** These take assignments before the command. */
const SETTERS: ReadonlySet<string> = new Set(["env", "sudo", "doas"]);
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "rbash", "mksh"]);
/** These are in the table for deny rules, and for an allow rule they are commands like any other. */
const ORDINARY: ReadonlySet<string> = new Set(
  "timeout time nice nohup stdbuf command builtin exec chrt taskset strace ltrace unbuffer busybox toybox setarch linux32 linux64 i386 x86_64 pkexec chroot unshare caffeinate su script prlimit choom setpriv nsenter runuser uclampset coresched".split(
    " ",
  ),
);

export function nameOf(word: ShellWord | undefined): string {
  return (word?.value.replace(/^.*\//s, "") ?? "").toLowerCase();
}

/** Whether a prefix rule must not allow this: it would allow what it starts. */
export function startsOthers(words: readonly ShellWord[]): boolean {
  const name = nameOf(words[0]);
  if (name === "eval" || (STARTERS.has(name) && !ORDINARY.has(name))) return true;
  if (SHELLS.has(name)) return shellScripts(words.slice(1)) !== null;
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

/** What deny and ask rules see behind a command, in the widest sense. `documents` is what its input says. */
export function findStarted(words: readonly ShellWord[], documents: readonly string[]): Started {
  const name = nameOf(words[0]);
  const rest = words.slice(1);
  if (SHELLS.has(name)) return { commands: [], scripts: [...documents, ...(shellScripts(rest) ?? [])] };
  if (name === "eval") return only(joined(rest[0]?.value === "--" ? rest.slice(1) : rest));
  if (name === "trap")
    return only(
      ...rest
        .map(({ value }) => value)
        .filter((value) => value !== "--")
        .slice(0, 1),
    );
  if (name === "find") return { commands: findCommands(rest), scripts: [] };
  // An option of a `time` that this shell takes for a program.
  if (name.startsWith("-")) return { commands: [rest], scripts: [] };
  const row = STARTERS.get(name);
  if (row === undefined) return { commands: [], scripts: [] };
  const read = readOptions(rest, row, true);
  // `command -v` tells where a command is and does not run it.
  if (name === "command" && (read.options.has("v") || read.options.has("V")))
    return { commands: [], scripts: [] };
  const given = read.values.filter(({ option }) => option.kind === "pattern").map(({ word }) => word.value);
  const own = read.operands.findIndex(
    ({ value }) => !(SETTERS.has(name) && (/^[^=]+=/.test(value) || value === "-" || value === "--")),
  );
  const operands = own < 0 ? [] : read.operands.slice(own);
  const unknown =
    !read.understood || rest.slice(0, rest.length - operands.length).some(({ literal }) => !literal);
  const texts = name === "env" ? given.map((text) => `env ${text} ${joined(operands)}`) : given;
  // Options of flock and su may also come after the operand, and then each word may be the command.
  const later =
    BEFORE[name] !== undefined &&
    operands.slice(0, 2).some(({ value }, at) => at > 0 && value.startsWith("-"));
  if (unknown || later) {
    const suffixes = rest.map((_, at) => rest.slice(at));
    return { commands: suffixes, scripts: [...texts, ...rest.map(({ value }) => value), joined(operands)] };
  }
  const commands = [
    operands.slice(BEFORE[name] ?? 0),
    ...(name === "taskset" || name === "chrt" ? [operands] : []),
  ];
  const found = commands.filter((command) => command.length > 0);
  return { commands: found, scripts: name === "watch" ? [...texts, joined(operands)] : texts };
}

function only(...scripts: readonly string[]): Started {
  return { commands: [], scripts };
}

/** xargs without what it runs: whether it has options, and the file that it reads. */
export function readXargs(words: readonly ShellWord[]): {
  readonly options: boolean;
  readonly command: readonly ShellWord[];
  readonly reads: readonly ShellWord[];
} {
  const row = STARTERS.get("xargs") ?? readRow("F");
  const { operands, options, values } = readOptions(words, row, true);
  const file = row.letters.get("a");
  return {
    options: options.size > 0 || words.length > operands.length,
    command: operands,
    reads: values.filter(({ option }) => option === file).map(({ word }) => word),
  };
}

/** The text after `-c`, in whatever cluster; null: the shell is given none. Each `o` takes a word: `-eo pipefail -c`. */
function shellScripts(words: readonly ShellWord[]): string[] | null {
  const values = words.map(({ value }) => value);
  let [at, given] = [0, false];
  for (; at < values.length; at++) {
    const value = values[at] ?? "";
    if (value === "--" || value === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(value)) break;
    if (/^--(?:rcfile|init-file)$/.test(value)) at += 1;
    else if (!value.startsWith("--")) {
      given ||= value.includes("c");
      at += value.slice(1).replace(/[^oO]/g, "").length;
    }
  }
  if (words.slice(0, at).some(({ literal }) => !literal)) return values;
  return given ? values.slice(at, at + 1) : null;
}

function findCommands(words: readonly ShellWord[]): (readonly ShellWord[])[] {
  const starts = words.flatMap(({ value }, at) =>
    /^-(?:exec|execdir|ok|okdir)$/.test(value) ? [at + 1] : [],
  );
  const { found } = findRoots(words);
  return starts.map((start) => {
    const rest = words.slice(start);
    const end = rest.findIndex(({ value }) => value === ";" || value === "+");
    const command = end < 0 ? rest : rest.slice(0, end);
    return command.flatMap((word) => (word.value === "{}" ? found : [word]));
  });
}

function joined(words: readonly ShellWord[]): string {
  return words.map(({ value }) => value).join(" ");
}
