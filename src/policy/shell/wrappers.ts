import { lazy } from "../../lib/lazy.ts";
import { findCommands, mayBeAction } from "./find.ts";
import { readOptions } from "./read-options.ts";
import { type Row, readRow, readTable } from "./rows.ts";
import { plainWords, type ShellWord } from "./script.ts";

/** Options of xargs; what it runs are its operands. */
export const XARGS = lazy(() =>
  readRow(
    "F< | 0/null a/arg-file:P d/delimiter: e? E: i? I: l? L: n/max-args: o/open-tty p/interactive P/max-procs: r/no-run-if-empty s/max-chars: t/verbose x/exit /eof? /replace? /max-lines? /process-slot-var: /show-limits",
  ),
);
/**
 * What starts the command that its arguments name. `R` is a text that a shell reads. Every rule looks past the first ones
 * with the options before `|` (§5.5); only deny and ask rules look past those marked with `+`.
 */
const STARTERS = readTable({
  timeout: "F< v k:N s: /foreground | f /kill-after: p/preserve-status /signal: /verbose",
  time: "F< p | a/append f/format: o/output: /portability q/quiet v/verbose V/version",
  nice: "F< n:N | /adjustment: #",
  stdbuf: "F< i: o: e: | /input: /output: /error:",
  command: "F< | p v V",
  "nohup, builtin": "F<",
  setsid: "+F< c/ctty f/fork w/wait",
  ionice: "+F< c/class: n/classdata: p/pid: P/pgid: u/uid: t/ignore",
  env: "+F< i/ignore-environment 0/null u/unset: C/chdir: S/split-string:R v/debug a/argv0: /block-signal? /default-signal? /ignore-signal? /list-signal-handling",
  sudo: "+F< A/askpass b/background B/bell N/no-update E /preserve-env? e/edit H/set-home K/remove-timestamp k/reset-timestamp l/list n/non-interactive P/preserve-groups S/stdin v/validate C/close-from: D/chdir: g/group: h/host: p/prompt: r/role: R/chroot: t/type: T/command-timeout: U/other-user: u/user: i/login s/shell",
  doas: "+F< a: C: L n s u:",
  watch: "+F< b/beep c/color e/errexit g/chgexit n/interval: p/precise t/no-title x/exec",
  flock:
    "+F< c/command:R e/exclusive x E/conflict-exit-code: F/no-fork n/nonblock/nb o/close s/shared u/unlock v/verbose w/wait/timeout:",
  exec: "+F< a: c l",
  su: "+F< c/command:R l/login m/preserve-environment p f/fast P/pty s/shell: g/group: G/supp-group: /session-command:R",
  // Behind any option of these, every word may be the command.
  "unbuffer, busybox, toybox, setarch, linux32, linux64, i386, x86_64, chrt, taskset, strace, ltrace, pkexec, chroot, unshare, caffeinate, script, prlimit, choom, setpriv, nsenter, runuser, uclampset, coresched":
    "+F<",
});
function starterOf(name: string): Row | undefined {
  return name === "xargs" ? XARGS() : STARTERS.get(name);
}

/** One word of their own comes before the command: a duration, a lock's file, a mask. */
const DELAYED: ReadonlySet<string> = new Set("timeout flock chrt taskset chroot su setarch".split(" "));
const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "rbash", "mksh"]);
const SHELL = lazy(() => readRow("F^< c o: O: /rcfile: /init-file:"));
/** A prefix rule for one of these would allow whatever it starts; for an allow rule the others are ordinary commands. */
const OPAQUE: ReadonlySet<string> = new Set("eval env sudo doas watch ionice setsid flock xargs".split(" "));

/** Returns the command behind the wrappers that every rule looks past; `before`: one at which to stop. */
export function unwrap(words: readonly ShellWord[], before?: "xargs"): readonly ShellWord[] {
  for (let rest = words; ; ) {
    const [command] = rest;
    const row = command?.literal && command.value !== before ? starterOf(command.value) : undefined;
    if (command === undefined || row === undefined || row.confinedOnly) return rest;
    const { misfit, operands } = readOptions(rest.slice(1), row);
    const inner = operands.slice(DELAYED.has(command.value) ? 1 : 0);
    const own = rest.slice(0, rest.length - inner.length);
    const duration = command.value !== "timeout" || /^\d+(?:\.\d*)?[smhd]?$/.test(operands[0]?.value ?? "");
    // An option of a wrapper that is not known before it runs could be any.
    const isKnown = misfit === null && duration && own.every(({ literal }) => literal);
    if (!isKnown || inner.length === 0) return rest;
    rest = inner;
  }
}

export function programName(word: ShellWord | undefined): string {
  const value = word?.value ?? "";
  return value.slice(value.lastIndexOf("/") + 1).toLowerCase();
}

/** True if a prefix rule must not allow this: it would allow what it starts. */
export function startsOthers(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]);
  if (OPAQUE.has(name)) return true;
  if (SHELLS.has(name)) return shellScripts(words.slice(1)) !== null;
  if (name === "command") return /^-\w*p/.test(words[1]?.value ?? "");
  return name === "find" && words.some(mayBeAction);
}

/** What a command runs in addition to itself: other commands, and texts that a shell reads. */
interface Started {
  readonly commands: readonly (readonly ShellWord[])[];
  readonly scripts: readonly string[];
}

/** Returns what deny and ask rules see behind a command, in the widest sense. `documents` is what its input says. */
export function findStarted(words: readonly ShellWord[], documents: readonly string[]): Started {
  const name = programName(words[0]);
  const rest = words.slice(1);
  const given = rest.map(({ value }) => value);
  const only = (...scripts: readonly string[]): Started => ({ commands: [], scripts });
  if (SHELLS.has(name)) return only(...documents, ...(shellScripts(rest) ?? []));
  if (name === "eval") return only((given[0] === "--" ? given.slice(1) : given).join(" "));
  if (name === "trap") return only(...given.filter((value) => value !== "--").slice(0, 1));
  if (name === "find") return { commands: findCommands(rest), scripts: [] };
  // An option of a `time` that this shell takes for a program.
  if (name.startsWith("-")) return { commands: [rest], scripts: [] };
  const row = starterOf(name);
  if (row === undefined) return only();
  const read = readOptions(rest, row);
  // `command -v` tells where a command is and does not run it.
  if (name === "command" && (read.options.has("v") || read.options.has("V"))) return only();
  // These take assignments before the command.
  const sets = name === "env" || name === "sudo" || name === "doas";
  const own = read.operands.findIndex(({ value }) => !(sets && /^(?:[^=]+=|--?$)/.test(value)));
  const operands = own < 0 ? [] : read.operands.slice(own);
  const isKnown =
    read.understood && rest.slice(0, rest.length - operands.length).every(({ literal }) => literal);
  const texts = read
    .valuesOf("pattern")
    .map(({ value }) => (name === "env" ? `env ${value} ${plainWords(operands)}` : value));
  // Options of flock and su may also come after the operand, and then each word may be the command.
  if (!isKnown || (DELAYED.has(name) && operands[1]?.value.startsWith("-"))) {
    const suffixes = rest.map((_, at) => rest.slice(at));
    return { commands: suffixes, scripts: [...texts, ...given, plainWords(operands)] };
  }
  // taskset and chrt may be given no word of their own.
  const commands = DELAYED.has(name) ? [operands.slice(1), operands] : [operands];
  return {
    commands: commands.filter((command) => command.length > 0),
    scripts: name === "watch" ? [...texts, plainWords(operands)] : texts,
  };
}

/** The text after `-c`, in whatever cluster; null if the shell is given none. Each `o` takes a word: `-eo pipefail -c`. */
function shellScripts(words: readonly ShellWord[]): string[] | null {
  // `+o` takes a word as `-o` does.
  const dashed = words.map((word) => ({ ...word, value: word.value.replace(/^\+(?=.)/s, "-") }));
  const { operands, options } = readOptions(dashed, SHELL());
  const from = words.length - operands.length + (operands[0]?.value === "-" ? 1 : 0);
  const values = words.map(({ value }) => value);
  if (words.slice(0, from).some(({ literal }) => !literal)) return values;
  return options.has("c") ? values.slice(from, from + 1) : null;
}
