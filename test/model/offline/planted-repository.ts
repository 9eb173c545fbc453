import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A question whose answer was planted: the line that defines it. */
export interface Planted {
  readonly question: string;
  readonly path: string;
  readonly line: number;
}

type Random = () => number;

function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const ONSETS = ["gl", "r", "t", "br", "pl", "v", "z", "kr", "m", "d", "fl", "n", "sk", "w"];
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ou"];
const CODAS = ["m", "n", "rk", "lt", "sh", "p", "x", "nd", "ft"];
const VERBS = ["round", "merge", "choose", "measure", "filter", "split", "order", "rank", "trim", "pack"];

function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

/** Nonsense that no repository has: "glaimtorn". */
function nonsense(random: Random): string {
  return [1, 2].map(() => pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS)).join("");
}

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const camel = (words: readonly string[]) =>
  words.map((word, at) => (at === 0 ? word : capital(word))).join("");
const pascal = (words: readonly string[]) => words.map(capital).join("");
const snake = (words: readonly string[]) => words.join("_");

interface Concept {
  readonly verb: string;
  readonly name: readonly [string, string];
  readonly about: readonly [string, string];
}

interface Language {
  readonly folder: string;
  readonly extension: string;
  identifier(concept: Concept): string;
  /** Comment lines, then the definition; `def` is the index of the line that defines. */
  define(identifier: string, doc: string): { lines: string[]; def: number };
  use(identifier: string): string;
}

const LANGUAGES: readonly Language[] = [
  {
    folder: "src",
    extension: "ts",
    identifier: ({ verb, name }) => camel([verb, ...name]),
    define: (id, doc) => ({
      lines: [
        "/**",
        ` * ${doc}`,
        " */",
        `export function ${id}(input: number): number {`,
        "  return input * 2;",
        "}",
      ],
      def: 3,
    }),
    use: (id) => `  const value = ${id}(4);`,
  },
  {
    folder: "lib",
    extension: "py",
    identifier: ({ verb, name }) => snake([verb, ...name]),
    define: (id, doc) => ({ lines: [`# ${doc}`, `def ${id}(value):`, "    return value * 2"], def: 1 }),
    use: (id) => `    total = ${id}(4)`,
  },
  {
    folder: "internal",
    extension: "go",
    identifier: ({ name }) => pascal(name),
    define: (id, doc) => ({ lines: [`// ${doc}`, `type ${id} struct {`, "\tsize int", "}"], def: 1 }),
    use: (id) => `\tvar item ${id}`,
  },
  {
    folder: "core",
    extension: "rs",
    identifier: ({ verb, name }) => snake([verb, ...name]),
    define: (id, doc) => ({
      lines: [`/// ${doc}`, `pub fn ${id}(value: u64) -> u64 {`, "    value * 2", "}"],
      def: 1,
    }),
    use: (id) => `    let value = ${id}(4);`,
  },
  {
    folder: "app",
    extension: "java",
    identifier: ({ name }) => pascal(name),
    define: (id, doc) => ({
      lines: [`/** ${doc} */`, `public final class ${id} {`, "  private int size;", "}"],
      def: 1,
    }),
    use: (id) => `    ${id} item = make();`,
  },
  {
    folder: "src/settings",
    extension: "ts",
    identifier: ({ name }) => snake(name).toUpperCase(),
    define: (id, doc) => ({ lines: [`// ${doc}`, `export const ${id} = 42;`], def: 1 }),
    use: (id) => `  if (size > ${id}) return;`,
  },
];

function docOf({ verb, about: [a, b] }: Concept): string {
  return `How the ${a} of a ${b} is told apart: ${verb}s what is left of it and keeps the rest.`;
}

function questionsFor(concept: Concept, identifier: string): string[] {
  const [a, b] = concept.about;
  const [first, second] = concept.name;
  return [
    `Where is ${identifier} defined?`,
    `where is the ${first} ${second} decided?`,
    `How is the ${a} of a ${b} told apart?`,
    `${identifier} 在哪里定义？`,
    `What is ${identifier} for?`,
    `what ${concept.verb}s the ${a} of the ${b}?`,
  ];
}

/** Writes a repository that nobody has seen, and returns ten questions with the lines that answer them. */
export async function plantRepository(root: string, seed: number): Promise<Planted[]> {
  const random = seeded(seed);
  // Few words for many things, as in a real repository: no single word gives an answer away.
  const words = Array.from({ length: 30 }, () => nonsense(random));
  const files = new Map<string, string[]>();
  const add = (path: string, lines: readonly string[]) => {
    const before = files.get(path) ?? [];
    files.set(path, [...before, ...lines, ""]);
    return before.length;
  };
  const planted: Planted[] = [];
  const taken = new Set<string>();
  for (let at = 0; at < 10; at++) {
    const concept = freshConcept(random, words, taken);
    const language = LANGUAGES[at % LANGUAGES.length] ?? pick(random, LANGUAGES);
    const identifier = language.identifier(concept);
    const path = `${language.folder}/${nonsense(random)}.${language.extension}`;
    addFiller(
      random,
      (lines) => add(path, lines),
      language,
      () => freshConcept(random, words, taken),
    );
    const { lines, def } = language.define(identifier, docOf(concept));
    const start = add(path, lines);
    addFiller(
      random,
      (more) => add(path, more),
      language,
      () => freshConcept(random, words, taken),
    );
    addDecoys(random, add, language, concept, identifier);
    const questions = questionsFor(concept, identifier);
    const question = questions[Math.floor(random() * questions.length)] ?? "";
    planted.push({ question, path, line: start + def + 1 });
  }
  for (const [path, lines] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), lines.join("\n"));
  }
  return planted;
}

/** A pair of words for the name and one for what it is about; no other concept has either pair. */
function freshConcept(random: Random, words: readonly string[], taken: Set<string>): Concept {
  for (;;) {
    const [a, b, c, d] = [0, 1, 2, 3].map(() => pick(random, words));
    if (a === undefined || b === undefined || c === undefined || d === undefined) continue;
    const pairs = [[a, b].sort().join(" "), [c, d].sort().join(" ")];
    if (new Set([a, b, c, d]).size < 4 || pairs.some((pair) => taken.has(pair))) continue;
    for (const pair of pairs) taken.add(pair);
    return { verb: pick(random, VERBS), name: [a, b], about: [c, d] };
  }
}

function addFiller(
  random: Random,
  add: (lines: string[]) => unknown,
  language: Language,
  fresh: () => Concept,
): void {
  const count = 1 + Math.floor(random() * 3);
  for (let at = 0; at < count; at++) {
    const concept = fresh();
    add(language.define(language.identifier(concept), docOf(concept)).lines);
  }
}

/** Uses, tests, documents and a changelog that name it, and definitions that share one of its words. */
function addDecoys(
  random: Random,
  add: (path: string, lines: string[]) => unknown,
  language: Language,
  concept: Concept,
  identifier: string,
): void {
  const [first, second] = concept.name;
  const { extension } = language;
  for (let at = 0; at < 3; at++) {
    add(`${language.folder}/${nonsense(random)}.${extension}`, [
      `// ${nonsense(random)}`,
      language.use(identifier),
    ]);
  }
  add(`test/${nonsense(random)}.test.${extension}`, [
    `// tests of ${identifier}: where is ${first} ${second} decided?`,
    language.use(identifier),
    language.use(identifier),
  ]);
  add(`docs/${nonsense(random)}.md`, [
    `# About the ${first}`,
    "",
    `The ${first} ${second} is used by ${identifier}.`,
  ]);
  add("CHANGELOG.md", [`- ${identifier}: the ${concept.about[0]} of a ${concept.about[1]} was fixed`]);
  const half: Concept = {
    ...concept,
    name: [first, nonsense(random)],
    about: [concept.about[0], nonsense(random)],
  };
  add(
    `${language.folder}/${nonsense(random)}.${extension}`,
    language.define(language.identifier(half), docOf(half)).lines,
  );
}
