// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
/** A random number generator that gives the same row for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Names that no system has, so that bash looks for each of them in vain. */
const NAMES = ["qa", "qb", "qc", "qd", "qe"];
const TOKENS = [
  ...[
    " ",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "(",
    ")",
    "{ ",
    "; }",
    "`",
    "\\`",
    "$(",
    "$((",
    "))",
  ],
  ...[
    "'",
    '"',
    "\\",
    "\\\n",
    "#",
    " #",
    "<",
    ">",
    ">>",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<<-E\n",
    "<<<",
    "<(",
    ">(",
    "&>",
    "2>&1",
  ],
  ...[
    "=",
    "x=",
    "x+=",
    "x[0]=",
    "$x",
    "${x}",
    "${x:-",
    "${x#",
    "}",
    "$",
    "$'",
    "$'\\x71a'",
    '$"',
    "[[ ",
    " ]]",
    "((",
    "[",
    "]",
  ],
  ...[
    "if ",
    "; then ",
    "; else ",
    "; fi",
    "for x in ",
    "; do ",
    "; done",
    "while ",
    "until ",
    "case x in x) ",
    ";; esac",
    "! ",
    "time ",
  ],
  ...[
    "coproc ",
    "function f { ",
    "f() { ",
    "!",
    "~",
    "*",
    "?",
    "{a,b}",
    "{qa,qb}",
    "-n",
    "--",
    ":",
    "true",
    "false",
    "echo ",
    "eval ",
  ],
  ...[
    "command ",
    "builtin ",
    "exec ",
    "!(",
    "@(",
    "é",
    "1",
    "$[",
    "\t",
    ",",
    "select x in ",
    "${x@Q}",
    "$((1+",
    "-eq",
    " -v ",
  ],
];

/** A string of shell syntax: mostly broken, often valid, and then seldom what it looks like. */
export function randomCommand(random: () => number): string {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const length = 1 + Math.floor(random() * 9);
  let text = random() < 0.6 ? pick(NAMES) : "";
  for (let at = 0; at < length; at++) text += random() < 0.4 ? pick(NAMES) : pick(TOKENS);
  return closed(text, random);
}

/** Half of the strings get the ends that they lack, so that more of them are valid. */
function closed(text: string, random: () => number): string {
  if (random() < 0.5) return text;
  const ends: readonly (readonly [RegExp, string])[] = [
    [/<<-?'?E/, "\nE\n"],
    [/\$\(\((?!.*\)\))/s, "))"],
    [/[$<>]\((?!.*\))/s, ")"],
    [/\$\{x[^}]*$/, "}"],
    [/\{ (?!.*\})/s, "; }"],
    [/if (?!.*fi)/s, "; then :; fi"],
    [/(?:for|while|until|select) (?!.*done)/s, "; do :; done"],
    [/case (?!.*esac)/s, ";; esac"],
    [/\[\[ (?!.*\]\])/s, " ]]"],
    [/^[^"]*"[^"]*$/s, '"'],
    [/^[^']*'[^']*$/s, "'"],
    [/^[^`]*`[^`]*$/s, "`"],
  ];
  return ends.reduce((whole, [open, end]) => (open.test(whole) ? whole + end : whole), text);
}
