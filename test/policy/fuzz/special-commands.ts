// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import type { Dice } from "./dice.ts";
import { type Mood, randomFile, randomNumber, randomOperand, randomText, spell } from "./words.ts";

/** Makes the words of one command whose grammar is not a row of options. */
type Maker = (dice: Dice, mood: Mood) => string;

const find: Maker = (dice, mood) => {
  const starts = dice.several(0, 2, () => randomOperand(dice, mood));
  const tests = dice.several(0, 3, () => {
    if (mood === "hostile" && dice.chance(0.3))
      return dice.pick([
        ...[
          "-exec cat {} +",
          "-exec ./evil.sh ';'",
          "-delete",
          "-fprint .npmrc",
          "-fls x",
          "-ok ls ';'",
          "-follow",
        ],
        ...[
          "-files0-from list.txt",
          "-L",
          "-H",
          "-D exec",
          "-O3",
          "-execdir ls ';'",
          "-fprintf x %p",
          "-fprint0 y",
        ],
        ...[
          "-samefile lout",
          "-anewer a.txt",
          "-newerXY a.txt",
          "-newermt 2001-01-01",
          "-lname x",
          "-xdev",
          "-quit",
        ],
      ]);
    const text = () => dice.pick(["'*.ts'", "'*.md'", "foo", "'?'", "'.e*'", randomText(dice, mood)]);
    return dice.pick([
      ...[
        `-name ${text()}`,
        `-iname ${text()}`,
        `-path ${text()}`,
        `-type ${dice.pick(["f", "d", "l", "f,d"])}`,
      ],
      ...[
        `-regex ${text()}`,
        `-size +${randomNumber(dice)}`,
        "-empty",
        `-mtime ${randomNumber(dice)}`,
        "-mmin -5",
      ],
      ...[
        `-newer ${randomFile(dice, mood)}`,
        `-maxdepth ${randomNumber(dice)}`,
        "-mindepth 1",
        "-perm -u+x",
        "-user root",
      ],
      ...[
        "-print",
        "-print0",
        "-ls",
        "-prune",
        "! -name x",
        "-not -type d",
        "-a -type f",
        "-name a -o -name b",
      ],
      ...[
        "'(' -name a.txt -o -name b ')'",
        "'(' -type f ')' -print",
        "-printf '%p\\n'",
        `-printf ${randomText(dice, mood)}`,
      ],
    ]);
  });
  return ["find", ...starts, ...tests].join(" ");
};

const sed: Maker = (dice, mood) => {
  const scripts =
    mood === "tame"
      ? ["1p", "1,3p", "/foo/p", "$p", "/a/,/b/p", "2,$p", "'1p;3p'", "p", "'/foo/!p'", "1~2p"]
      : [
          "p",
          "'w .npmrc'",
          "'1w x'",
          "'1e ls'",
          "e",
          "r lout",
          "'R ../outside/secret.txt'",
          "s/x/y/",
          "'s/a/./evil.sh/e'",
        ];
  const script = dice.chance(0.9) ? dice.pick(scripts) : randomText(dice, mood);
  const options = dice.pick([
    "-n",
    "-nE",
    "-n -e",
    "-En",
    "-ns",
    "-nz",
    "-nu",
    "-n -r",
    "-ne",
    "--quiet",
    "-n --",
  ]);
  const strange = dice.pick([
    "-i",
    "-ni",
    "-n -i.bak",
    "-nf list.txt",
    "--in-place -n",
    "-n --file=a.txt",
    "-e",
    "-E",
    "-nl 5",
  ]);
  const used = mood === "hostile" && dice.chance(0.4) ? strange : options;
  return ["sed", used, script, ...dice.several(0, 2, () => randomOperand(dice, mood))].join(" ");
};

const REVISIONS = [
  "HEAD",
  "HEAD~1",
  "main",
  "other",
  "v1",
  "v1..HEAD",
  "HEAD~1 HEAD",
  "stash@{0}",
  "--all",
  "HEAD:a.txt",
];
const HIDDEN = [
  "HEAD:src",
  ":0:.env",
  ":.env",
  "v1:.env",
  "HEAD~1:.env",
  "HEAD:./a.txt",
  ":1:lout",
  "--",
  "-1",
  ":/foo",
];
const PATHSPECS = [
  "'.e*'",
  "':(icase).ENV'",
  "':(glob)**/.e?v'",
  "':!src'",
  "':/.env'",
  "'*.ts'",
  "src/",
  "':(attr:x)'",
];
const SHOW = [
  ...[
    "-p",
    "-u",
    "-s",
    "-z",
    "-w",
    "-b",
    "-n 2",
    "-2",
    "-n2",
    "--stat",
    "--name-only",
    "--name-status",
    "--numstat",
  ],
  ...[
    "--oneline",
    "--graph",
    "--decorate",
    "--format=%H",
    "--pretty=oneline",
    "--no-merges",
    "--since=1.day",
    "-S foo",
  ],
  ...[
    "-Sfoo",
    "-G 'f.*'",
    "-U3",
    "-U 1",
    "-M",
    "-C",
    "-M90%",
    "--author=A",
    "--grep=foo",
    "--reverse",
    "--shortstat",
  ],
  ...[
    "-L1,2:a.txt",
    "-L 1,5:.env",
    "-L1,1:src/one.ts",
    "--follow",
    "--cached",
    "--staged",
    "--date=short",
    "-R",
    "-m",
    "-c",
  ],
  ...[
    "--color",
    "--no-color",
    "--word-diff",
    "--summary",
    "--raw",
    "--check",
    "--full-index",
    "--abbrev=5",
    "-i",
    "-E",
    "-F",
  ],
];
const STRANGE = [
  ...[
    "--ext-diff",
    "--textconv",
    "--output=x",
    "--output x",
    "--outp=x",
    "-O list.txt",
    "-Olist.txt",
    "--no-index",
  ],
  ...[
    "--show-signature",
    "--stdin",
    "--help",
    "--format=%GG",
    "--format=%G?",
    "--pretty=format:%GK",
    "--ext",
    "--text",
  ],
  ...[
    "--contents=lout",
    "--ignore-revs-file=lout",
    "--exclude-from=lout",
    "-X lout",
    "-S lout",
    "--no-ind",
    "--open-files-in-pager",
  ],
  ...[
    "--submodule=diff",
    "--patch-with-raw",
    "--diff-merges=on",
    "--remerge-diff",
    "--notes=x",
    "--mailmap",
    "--git-dir=bare",
  ],
  ...[
    "--resolve-git-dir bare",
    "--local-env-vars",
    "--parseopt",
    "--sq-quote x",
    "--path-format=absolute",
    "--since-as-filter=x",
  ],
];

const git: Maker = (dice, mood) => {
  const option = () => {
    if (mood === "hostile" && dice.chance(0.4)) return dice.pick(STRANGE);
    return dice.pick(SHOW);
  };
  const revision = () =>
    dice.pick(mood === "tame" && dice.chance(0.9) ? REVISIONS : [...REVISIONS, ...HIDDEN]);
  const path = () =>
    dice.chance(mood === "tame" ? 0.05 : 0.3) ? dice.pick(PATHSPECS) : randomFile(dice, mood);
  const shown = (name: string) => [name, ...dice.several(0, 2, option), ...dice.several(0, 1, revision)];
  const paths = () => (dice.chance(0.4) ? ["--", ...dice.several(1, 2, path)] : dice.several(0, 1, path));
  const words = ((): string[] => {
    switch (dice.below(mood === "tame" ? 15 : 17)) {
      case 0:
        return [
          "status",
          ...dice.several(0, 2, () =>
            dice.pick(["-s", "-b", "-sb", "--porcelain", "-u", "-uno", "-z", "-v", "-vv", "--ignored"]),
          ),
          ...paths(),
        ];
      case 1:
      case 2:
        return [...shown("log"), ...paths()];
      case 3:
      case 4:
        return [...shown("diff"), ...paths()];
      case 5:
        return [...shown("show"), ...paths()];
      case 6:
        return ["rev-list", "HEAD", ...dice.several(0, 2, option), ...paths()];
      case 7:
        return [
          "stash",
          dice.pick(["list", "show", "show -p", "show --stat"]),
          ...dice.several(0, 1, option),
        ];
      case 8:
        return [
          "blame",
          ...dice.several(0, 2, () =>
            dice.pick(["-L1,2", "-s", "-e", "-w", "-l", "-t", "-p", "-n", "-f", "-C", "-M", "-L 1,1"]),
          ),
          path(),
        ];
      case 9:
      case 10:
        return [
          "ls-files",
          ...dice.several(0, 2, () =>
            dice.pick([
              "-c",
              "-m",
              "-o",
              "-s",
              "-u",
              "-z",
              "-t",
              "--cached",
              "--others",
              "--exclude-standard",
              `-X ${path()}`,
              "-x '*.ts'",
              "--exclude=x",
              ...(mood === "tame" ? [] : [option()]),
            ]),
          ),
          ...paths(),
        ];
      case 11:
        return [
          "rev-parse",
          dice.pick([
            "HEAD",
            "--show-toplevel",
            "--git-dir",
            "--abbrev-ref HEAD",
            "--short HEAD",
            "--verify main",
            "--is-inside-work-tree",
            ...(mood === "tame" ? [] : STRANGE),
          ]),
        ];
      case 12:
        return [
          "branch",
          ...dice.several(0, 2, () =>
            dice.pick([
              "-a",
              "-r",
              "-v",
              "-vv",
              "-l",
              "--list",
              "--show-current",
              "--contains=HEAD",
              "--sort=refname",
              "-av",
            ]),
          ),
          ...dice.several(0, mood === "tame" ? 0 : 1, () =>
            dice.pick(["new", "'m*'", "-D", "--edit-description", "-m x", "-u x", "--format=%(x)"]),
          ),
        ];
      case 13:
        return [
          "tag",
          ...dice.several(1, 2, () =>
            dice.pick([
              "-l",
              "-n",
              "-n2",
              "--contains=HEAD",
              "--sort=refname",
              "--list",
              ...(mood === "tame" ? [] : ["-d v1", "v9", "-v v2", "-f", "-a", "--verify"]),
            ]),
          ),
        ];
      case 14:
        return [
          dice.pick([
            "shortlog -s HEAD",
            "shortlog -sn HEAD",
            "remote",
            "remote -v",
            "describe --tags",
            "describe --all",
            "describe --always",
          ]),
        ];
      case 15:
        return [
          dice.pick([
            "grep foo",
            "grep -O foo",
            "-C bare status",
            "--git-dir=bare status",
            "-c core.fsmonitor=./evil.sh status",
            "-p log",
            "archive HEAD",
            "cat-file -p v1:.env",
            "ls-tree HEAD",
            "show-ref",
            "bundle create x HEAD",
            "fetch ./bare",
            "format-patch -1",
            "reflog",
            "worktree list",
            "config -l",
          ]),
        ];
      default:
        return [
          dice.pick([
            "sta",
            "st",
            "diff-files",
            "diff-tree -p HEAD",
            "show-branch",
            "whatchanged",
            "var GIT_EDITOR",
            "help log",
            "blame --contents lout a.txt",
            "ls-files --format=/etc/hostname",
            "stash",
            "stash show --ext-diff",
            "stash list --output=x",
            "show --textconv HEAD:docs/guide.md",
          ]),
        ];
    }
  })();
  return ["git", ...words].join(" ");
};

const OPERATORS = ["-f", "-e", "-d", "-L", "-r", "-s", "-x", "-n", "-z", "-h"];
const tests: Maker = (dice, mood) => {
  const operand = () => (dice.chance(0.5) ? randomFile(dice, mood) : randomText(dice, mood));
  const hostile = [
    "-v x",
    "-v 'a[$(./evil.sh)]'",
    "'a[$(./evil.sh)]' -eq 1",
    "x -eq 1",
    "-R x",
    "1 -lt 'x[$(./evil.sh>&2)]'",
    "-t 0",
  ];
  const inner =
    mood === "hostile" && dice.chance(0.3)
      ? dice.pick(hostile)
      : dice.pick([
          ...[
            `${dice.pick(OPERATORS)} ${operand()}`,
            `${operand()} = ${operand()}`,
            `${operand()} != ${operand()}`,
          ],
          ...["1 -eq 2", "3 -lt 4", `${operand()} -nt ${operand()}`, `! -e ${operand()}`, operand()],
        ]);
  return dice.pick([`test ${inner}`, `[ ${inner} ]`, `[[ ${inner} ]]`]);
};

const echo: Maker = (dice, mood) => {
  const operands = dice.several(0, 3, () =>
    dice.chance(0.5) ? randomText(dice, mood) : randomOperand(dice, mood),
  );
  const options = dice.several(0, 1, () => dice.pick(["-n", "-e", "-ne", "-E", "--"]));
  const more = dice.several(0, 1, () =>
    dice.pick([
      "$?",
      "$#",
      "$(pwd)",
      "$(ls src)",
      "$(git rev-parse HEAD)",
      "`pwd`",
      "$HOME",
      "{a,b}",
      "~",
      "$((1+1))",
    ]),
  );
  return ["echo", ...options, ...operands, ...(dice.chance(0.3) ? more : [])].join(" ");
};

const printf: Maker = (dice, mood) => {
  const tame = ["'%s\\n'", "'%d'", "foo", "'%5s|'", "'%%'", "'a\\nb'", "'%-10s%s\\n'", "'%x'", "%q"];
  const bad = [
    "'%n'",
    "'%s%n'",
    "'%5d%n'",
    "-v",
    "-v PATH",
    "'%hhn'",
    "'%*d%n'",
    "'%ln'",
    "'%(%F)T'",
    "'\\x25n'",
    "-vPATH",
    "--",
  ];
  const format = dice.pick(mood === "tame" ? tame : [...tame, ...bad]);
  const operands = dice.several(0, 3, () =>
    dice.chance(0.3) ? "PATH" : dice.chance(0.5) ? randomText(dice, mood) : randomNumber(dice),
  );
  return ["printf", format, ...operands].join(" ");
};

const xargs: Maker = (dice, mood) => {
  const inner = ["echo", "basename", "dirname", "echo x", "basename -a", "echo --"];
  const more = [
    "cat",
    "rg foo",
    "grep -h foo",
    "head -1",
    "printf '%s'",
    "wc -l",
    "ls -d",
    "echo {}",
    "sh -c",
    "git show",
    "stat",
    "basename -s",
  ];
  const options =
    mood === "hostile"
      ? dice.several(0, 2, () =>
          dice.pick([
            "-0",
            "-n1",
            "-n 1",
            "-I %",
            "-P2",
            "-r",
            "-t",
            "-L1",
            "-d ,",
            "-a list.txt",
            "-o",
            "--arg-file=list.txt",
            "-i",
            "-E x",
            "--replace",
          ]),
        )
      : [];
  return ["xargs", ...options, dice.pick(mood === "tame" ? inner : [...inner, ...more])].join(" ");
};

/** Sets or shows variables, by commands that no row has or that have been taken for harmless. */
const variables: Maker = (dice, mood) => {
  if (mood === "tame")
    return dice.pick(["LANG=C ls", "LC_ALL=C sort a.txt", "TZ=UTC date", "NO_COLOR=1 ls", "CI=1 pwd"]);
  return dice.pick([
    ...[
      "PATH=0 ls",
      "PATH=0",
      "read PATH < list.txt",
      "export PATH=0",
      "declare PATH=0",
      "IFS=x",
      "printf -v PATH 0",
      "LANG+=x ls",
    ],
    ...[
      "unset PATH",
      "cd() { :; }",
      "alias ls=./evil.sh",
      ": ${PATH:=0}",
      "LC_ALL=../outside ls",
      "TZ=../lout date",
      "TERM=./x ls",
    ],
    ...[
      "GIT_EXTERNAL_DIFF=./evil.sh git diff",
      "RIPGREP_CONFIG_PATH=.ripgreprc rg foo",
      "mapfile PATH < list.txt",
      "getopts a PATH -a",
    ],
    ...[
      "LANGUAGE=../outside ls x",
      "COLUMNS='a[$(./evil.sh)]' ls",
      "LINES=1 ls",
      "TZ=:/etc/hostname date",
      "LC_TIME='$(x)' date",
    ],
    ...[
      "let PATH=0",
      "((PATH=0))",
      "coproc PATH { :; }",
      "exec 5<lout",
      "source evil.sh",
      ". ./evil.sh",
      "wait -p PATH",
      "hash -p ./evil.sh ls",
    ],
  ]);
};

const cd: Maker = (dice, mood) => {
  const inside = ["src", "docs", "./src", "src/deep", ".", "pkg", "odd"];
  const bad = [
    "bare",
    "trap",
    "trap/sub",
    "nested",
    "ldir",
    "lsrc",
    "lup",
    "..",
    "-",
    "~",
    "0",
    "n",
    "",
    "-P src",
    "-L src",
    "-- src",
    "--",
    "missing",
  ];
  return `cd ${dice.pick(mood === "tame" ? inside : [...inside, ...bad])}`.trim();
};

const look: Maker = (dice, mood) => {
  const name =
    mood === "tame"
      ? dice.pick(["ls", "git", "rg", "missing"])
      : spell(dice, dice.pick(["./evil.sh", "-p", "ls", "0/ls", "lout"]));
  return `${dice.pick(["command -v", "type", "which", "which -a", "type -t", "command -V"])} ${name}`;
};

export const specialCommands: Readonly<Record<string, Maker>> = {
  find,
  sed,
  git,
  test: tests,
  echo,
  printf,
  xargs,
  variables,
  cd,
  look,
};
