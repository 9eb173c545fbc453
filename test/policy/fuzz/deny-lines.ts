import { type Dice, list } from "./dice.ts";
import type { Line } from "./read-lines.ts";
import { CANARY } from "./repository.ts";
import { LETTERS } from "./words.ts";

/** Options of programs that run another one. */
interface Wrapper {
  readonly flags: string;
  /** Letters with a value, and values that they take; none: the value can only be glued. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly longs: readonly string[];
  /** What stands before the command, such as a duration or a file. */
  readonly before: readonly string[];
}

/** Flags, letters with their values, long names, and words before the command. */
const TABLE = `
timeout | v | k=1,5 s=KILL,9 | foreground preserve-status verbose kill-after=2 signal=9 | 5 1s 0.5
nice | | n=5,-1,0 | adjustment=5 |
stdbuf | | i=0,L o=L,0 e=0 | output=L error=0 input=0 | -o0
nohup | | | |
env | iv0 | u=X,HOME C=.,src | ignore-environment unset=X chdir=src debug null default-signal=PIPE ignore-signal=INT list-signal-handling | A=1 - X=2
setsid | cfw | | ctty fork wait |
ionice | t | c=3,idle,2 n=7 | class=3 classdata=7 ignore |
flock | nsxuoeF | w=1 E=2 | shared exclusive nonblock timeout=1 close no-fork verbose conflict-exit-code=3 | a.txt src ./b.txt
xargs | 0rtx | I=% n=1 P=4 L=1 d=x E=x s=999 a=a.txt e i l | null no-run-if-empty max-args=1 max-procs=2 replace=% arg-file=a.txt delimiter=, verbose max-lines=1 eof=x |
watch | betgxcdw | n=1,0.1 | interval=1 exec no-title errexit chgexit color beep differences |
sudo | nEHbkS | u=root g=root p=x C=3 | |
doas | nE | u=root C=x | |
command | p | | |
exec | cl | a=x | |
time | p | | |
chrt | bi | | batch idle | 0
taskset | a | | all-tasks | 1 0x3
unshare | rUmui | | map-root-user user fork mount |
setarch | RZ | | addr-no-randomize | x86_64 linux64
prlimit | | n=100 c=0 | nofile=100 core=0 |
choom | | n=0 | adjust=0 |
script | qe | | quiet return | -c
dash | e | | | -c`;

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  TABLE.trim()
    .split("\n")
    .map((row) => {
      const [name = "", flags = "", values = "", longs = "", before = ""] = row
        .split("|")
        .map((cell) => cell.trim());
      const words = (cell: string) => cell.split(" ").filter(Boolean);
      const valued = words(values).map((word) => {
        const [letter = "", given] = word.split("=");
        return [letter, given?.split(",") ?? []] as const;
      });
      return [
        name,
        { flags, values: Object.fromEntries(valued), longs: words(longs), before: words(before) },
      ] as const;
    }),
);

/** Forms whose operand is a script. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  bash: list(
    "-c ;; -lc ;; -ec ;; -c -e ;; -c -o errexit ;; -xc ;; -o errexit -c ;; --norc -c ;; -c -- ;; +e -c ;; -O extglob -c ;; -c +O extglob ;; -c - ;; --rcfile x -c ;; -eo pipefail -c ;; -co errexit",
  ),
  sh: list("-c ;; -ec ;; -c -e ;; -uc ;; -c -- ;; -o errexit -c ;; -c -o errexit ;; -ce ;; +e -c"),
  eval: ["", "--", "''"],
  env: list(
    "-S ;; --split-string= ;; -iS ;; -vS ;; -S -i ;; -u X -S ;; --split-string ;; --split= ;; -C . -S",
  ),
  watch: list("-n 1 ;; -tn1 ;; -tn 1 ;; -g ;; -bn .1 ;; --interv 1"),
  flock: list("a.txt -c ;; -n a.txt -c ;; a.txt --command ;; src -c ;; -x src --comm"),
};
/** Forms of bash's grammar in which a command, X, stands. */
const SYNTAX = list(`
  (X) ;; { X; } ;; ! X ;; X & ;; echo $(X) ;; echo \`X\` ;; a=$(X) ;; [[ $(X) ]] ;; cat <(X) ;; cat <<< $(X) ;; : $(( $(X) + 1 ))
  ;; : \${x:-$(X)} ;; for i in $(X); do :; done ;; if X; then :; fi ;; while X; do break; done ;; until X; do break; done ;; coproc X
  ;; case x in x) X;; esac ;; f() { X; }; f ;; function f { X; }; f ;; trap 'X' EXIT ;; trap -- 'X' 0 ;; bash <<< 'X' ;; X 2>&1 | cat
  ;; a[$(X)]=1 ;; echo "$(X)" ;; true && X || : ;; : > >(X) ;; sh -s <<< 'X' ;; A=$(X) ls
  ;; printf -v x "$(X)" ;; time -p X ;; echo \${x#$(X)} ;; select i in a; do X; break; done <<< 1 ;; (( $(X) )) ;; let "a=$(X)" ;; X |& cat
  ;; alias a='X'; a ;; bash -c "bash -c 'X'" ;; exec 3< <(X) ;; test -n "$(X)" ;; cat <<E\n$(X)\nE`).map(
  (form) => form.replaceAll("\\n", "\n"),
);
const CANARIES = [
  CANARY,
  CANARY,
  `'${CANARY}'`,
  `q"canary"`,
  `\\${CANARY}`,
  `A=1 ${CANARY}`,
  `$'qcanary'`,
  "q''canary",
];
const FIND_TESTS = list(
  "-name a.txt ;; -maxdepth 1 ;; -type f ;; ! ;; -newer b.txt ;; '(' ;; -print ;; -prune -o ;; -regextype egrep ;; -D tree ;; -perm -u+x",
);
const FIND_STARTS = [...list(". ;; a.txt ;; -L . ;; src ;; -O2 ."), ""];

/** A command line that runs the canary, if the wrapper takes the words so; a deny rule must see it. */
export function randomDenyLine(dice: Dice, only: string | null): Line {
  const names = [...WRAPPERS.keys(), "find", "script", "syntax"];
  const row = only ?? dice.pick(names);
  const command = [
    dice.pick(CANARIES),
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
      const tests = dice.several(0, 2, () => dice.pick(FIND_TESTS));
      return [
        "find",
        dice.pick(FIND_STARTS),
        ...tests,
        action,
        inner,
        dice.pick(["';'", "\\;", "{} +", "{} ';'"]),
        ...dice.several(0, 1, () => dice.pick(["-print", "-quit", "-exec ls ';'"])),
      ].join(" ");
    }
    case "script": {
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
    case "syntax": {
      const form = dice.pick(SYNTAX);
      return form.replaceAll("X", () => (/'X'|"X"/.test(form) ? CANARY : inner));
    }
    default:
      return [name, ...options(dice, WRAPPERS.get(name)), inner].join(" ");
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
  const extra = before.length > 0 && dice.chance(0.9) ? [dice.pick(before)] : [];
  const end = dice.chance(0.1) ? ["--"] : [];
  return dice.chance(0.5) ? [...made, ...end, ...extra] : [...made, ...extra, ...end];
}
