import type { Dice } from "./dice.ts";
import type { Line } from "./read-lines.ts";
import { CANARY } from "./repository.ts";
import { LETTERS } from "./words.ts";

/** Options of programs that run another one: letters, letters with a value, long names with `=` if they take one. */
interface Wrapper {
  readonly flags: string;
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly longs: readonly string[];
  /** What stands before the command, such as a duration or a file. */
  readonly before?: readonly string[];
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: {
    flags: "v",
    values: { k: ["1", "5"], s: ["KILL", "9"] },
    longs: ["foreground", "preserve-status", "verbose", "kill-after=2", "signal=9"],
    before: ["5", "1s", "0.5"],
  },
  nice: { flags: "", values: { n: ["5", "-1", "0"] }, longs: ["adjustment=5"] },
  stdbuf: {
    flags: "",
    values: { i: ["0", "L"], o: ["L", "0"], e: ["0"] },
    longs: ["output=L", "error=0", "input=0"],
    before: ["-o0"],
  },
  nohup: { flags: "", values: {}, longs: [] },
  env: {
    flags: "iv0",
    values: { u: ["X", "HOME"], C: [".", "src"] },
    longs: [
      "ignore-environment",
      "unset=X",
      "chdir=src",
      "debug",
      "null",
      "default-signal=PIPE",
      "ignore-signal=INT",
      "block-signal=INT",
      "list-signal-handling",
    ],
    before: ["", "", "A=1", "-", "X=2 Y=3"],
  },
  setsid: { flags: "cfw", values: {}, longs: ["ctty", "fork", "wait"] },
  ionice: {
    flags: "t",
    values: { c: ["3", "idle", "2"], n: ["7"] },
    longs: ["class=3", "classdata=7", "ignore"],
  },
  flock: {
    flags: "nsxuoeF",
    values: { w: ["1"], E: ["2"] },
    longs: [
      "shared",
      "exclusive",
      "nonblock",
      "timeout=1",
      "close",
      "no-fork",
      "verbose",
      "conflict-exit-code=3",
    ],
    before: ["a.txt", "src", "./b.txt"],
  },
  xargs: {
    flags: "0rtx",
    values: {
      I: ["%"],
      n: ["1"],
      P: ["4"],
      L: ["1"],
      d: [","],
      E: ["x"],
      s: ["999"],
      a: ["a.txt"],
      e: [],
      i: [],
      l: [],
    },
    longs: [
      "null",
      "no-run-if-empty",
      "max-args=1",
      "max-procs=2",
      "replace=%",
      "arg-file=a.txt",
      "delimiter=,",
      "verbose",
      "max-lines=1",
      "eof=x",
    ],
  },
  watch: {
    flags: "betgxcdw",
    values: { n: ["1", "0.1"] },
    longs: ["interval=1", "exec", "no-title", "errexit", "chgexit", "color", "beep", "differences"],
  },
  sudo: { flags: "nEHbkS", values: { u: ["root"], g: ["root"], p: ["x"], C: ["3"] }, longs: [] },
  doas: { flags: "nE", values: { u: ["root"], C: ["x"] }, longs: [] },
  command: { flags: "p", values: {}, longs: [] },
  exec: { flags: "cl", values: { a: ["x"] }, longs: [] },
  time: { flags: "p", values: {}, longs: [] },
  chrt: { flags: "bi", values: {}, longs: ["batch", "idle"], before: ["0"] },
  taskset: { flags: "a", values: {}, longs: ["all-tasks"], before: ["1", "0x3"] },
};
/** Forms whose operand is a script. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  bash: [
    "-c",
    "-lc",
    "-ec",
    "-c -e",
    "-c -o errexit",
    "-xc",
    "-o errexit -c",
    "--norc -c",
    "-c --",
    "+e -c",
    "-O extglob -c",
    "-c +O extglob",
    "-c -",
    "--rcfile x -c",
    "-eo pipefail -c",
    "-co errexit",
  ],
  sh: ["-c", "-ec", "-c -e", "-uc", "-c --", "-o errexit -c", "-c -o errexit", "-ce", "+e -c"],
  eval: ["", "--", "''"],
  env: ["-S", "--split-string=", "-iS", "-vS", "-S -i", "-u X -S", "--split-string"],
  watch: ["-n 1", "-tn1", "-tn 1", "-g", "-bn .1"],
  flock: ["a.txt -c", "-n a.txt -c", "a.txt --command", "src -c", "-x src --comm"],
};

/** A command line that runs the canary, if the wrapper takes the words so; a deny rule must see it. */
export function randomDenyLine(dice: Dice, only: string | null): Line {
  const names = [...Object.keys(WRAPPERS), "find", "script", "shell"];
  const row = only ?? dice.pick(names);
  const command = [
    dice.pick([CANARY, CANARY, `'${CANARY}'`, `q"canary"`, `\\${CANARY}`]),
    ...dice.several(0, 2, () => dice.pick(["x", "-a", "%", "{}", "--"])),
  ].join(" ");
  const inner = dice.chance(0.25) ? wrap(dice, dice.pick(names), command) : command;
  const wrapped = wrap(dice, row, inner);
  const text =
    row === "xargs" || dice.chance(0.1) ? `${dice.pick(["echo x |", "ls |", ""])} ${wrapped}` : wrapped;
  return { text: text.trim(), row, mood: "hostile" };
}

function wrap(dice: Dice, name: string, inner: string): string {
  switch (name) {
    case "find": {
      const action = dice.pick(["-exec", "-execdir", "-exec", "-ok"]);
      const tests = dice.several(0, 2, () =>
        dice.pick([
          "-name a.txt",
          "-maxdepth 1",
          "-type f",
          "!",
          "-newer b.txt",
          "'('",
          "-print",
          "-prune -o",
          "-regextype egrep",
          "-D tree",
          "-perm -u+x",
        ]),
      );
      return [
        "find",
        dice.pick([".", "a.txt", "", "-L .", "src", "-O2 ."]),
        ...tests,
        action,
        inner,
        dice.pick(["';'", "\\;", "{} +", "{} ';'"]),
        ...dice.several(0, 1, () => dice.pick(["-print", "-quit", "-exec ls ';'"])),
      ].join(" ");
    }
    case "script":
    case "shell": {
      const shell = dice.pick(Object.keys(SCRIPTS));
      const form = dice.pick(SCRIPTS[shell] ?? [""]);
      const script = dice.pick([
        inner,
        `true; ${inner}`,
        `${inner} | cat`,
        `cd src && ${inner}`,
        `if :; then ${inner}; fi`,
      ]);
      const quoted = script.includes("'") ? `"${script.replaceAll(/[\\"$`]/g, "\\$&")}"` : `'${script}'`;
      return `${shell} ${form}${form.endsWith("=") ? "" : " "}${shell === "env" || shell === "watch" ? quoteFlat(dice, inner) : quoted}`;
    }
    default:
      return [name, ...options(dice, WRAPPERS[name]), inner].join(" ");
  }
}

/** `env -S` and `watch` split their text themselves. */
function quoteFlat(dice: Dice, inner: string): string {
  const text = dice.chance(0.3) ? `-i ${inner}` : inner;
  return text.includes("'") ? `"${text.replaceAll(/[\\"$`]/g, "\\$&")}"` : `'${text}'`;
}

function options(dice: Dice, wrapper: Wrapper | undefined): string[] {
  if (!wrapper) return [];
  const { flags, values, longs, before } = wrapper;
  const letter = () => flags[dice.below(flags.length)] ?? "";
  const made = dice.several(0, 3, () => {
    switch (dice.below(6)) {
      case 0:
      case 1:
        return flags === "" ? "" : `-${dice.several(1, 2, letter).join("")}`;
      case 2:
      case 3: {
        const names = Object.keys(values);
        if (names.length === 0) return "";
        const name = dice.pick(names);
        const value = values[name] ?? [];
        const cluster = dice.chance(0.4) ? letter() : "";
        return value.length === 0
          ? `-${cluster}${name}`
          : `-${cluster}${name}${dice.pick(["", " "])}${dice.pick(value)}`;
      }
      case 4: {
        if (longs.length === 0) return "";
        const [long = "", value] = dice.pick(longs).split("=");
        const written = dice.chance(0.5) ? long : long.slice(0, 2 + dice.below(long.length - 1));
        return value === undefined ? `--${written}` : `--${written}${dice.pick(["=", " "])}${value}`;
      }
      default:
        return dice.chance(0.15) ? `-${dice.pick([...LETTERS])}` : dice.chance(0.2) ? "--" : "";
    }
  });
  const extra = before ? [dice.pick(before)] : [];
  const end = dice.chance(0.1) ? ["--"] : [];
  return dice.chance(0.5) ? [...made, ...end, ...extra] : [...made, ...extra, ...end];
}
