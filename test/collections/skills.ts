import {
  fails,
  loads,
  movedBy,
  type Outcome,
  seeded,
  TOPICS,
  type Topic,
  type Written,
  wrapped,
} from "./written.ts";

interface Draft {
  readonly text: string | Uint8Array;
  readonly outcome: Outcome;
  /** It is left as it is. */
  readonly bare?: true;
  /** Of the file, or of the directory. */
  readonly called?: string;
}
type Style = (name: string, topic: Topic) => Draft;

const body = ({ does }: Topic) => `\n# How\n\n${does}.\n\n1. Look first.\n2. Then say $ARGUMENTS.\n`;
const skill = (header: string, topic: Topic) => `---\n${header}\n---\n${body(topic)}`;

const keyed =
  (header: string, as: object, ...told: readonly (readonly [number, RegExp])[]): Style =>
  (name, topic) => ({
    text: skill(`description: ${topic.does}.\n${header}`, topic),
    outcome: loads({ name, description: `${topic.does}.`, ...as }, ...told),
  });

/** Keys that skills and commands share. */
const KEYS: readonly Style[] = [
  keyed("license: MIT\nversion: 1.0.0\nmetadata:\n  author: us\n  tags: [a, b]", {}),
  keyed("allowed-tools: Read, Grep, Bash(git status:*), Bash(git commit -m:*)", {
    allowedTools: ["Read", "Grep", "Bash(git status:*)", "Bash(git commit -m:*)"],
  }),
  keyed("allowed-tools:\n  - Read\n  - Bash(npm run build:*)", {
    allowedTools: ["Read", "Bash(npm run build:*)"],
  }),
  keyed('allowed-tools: ["Read", "Write"]', { allowedTools: ["Read", "Write"] }),
  keyed("allowed-tools: Read Grep mcp__harbour__tides", {
    allowedTools: ["Read", "Grep", "mcp__harbour__tides"],
  }),
  keyed("allowed_tools: Read", { allowedTools: ["Read"] }),
  keyed("allowed-tools: Bash(git log --format='%h (%s)':*)", {
    allowedTools: ["Bash(git log --format='%h (%s)':*)"],
  }),
  keyed("allowed-tools: *", { allowedTools: ["*"] }),
  keyed("allowed-tools: {Read: yes}", { allowedTools: [] }, [3, /^allowed-tools must be names, as a list/]),
  keyed("argument-hint: [file] [why]", { argumentHint: "[file] [why]" }),
  keyed("argument-hint: <file> [--deep | --quick]", { argumentHint: "<file> [--deep | --quick]" }),
  keyed("argument-hint: [file]", { argumentHint: "[file]" }),
  keyed("argument-hint:\n  - what to sort\n  - where", { argumentHint: "[what to sort] [where]" }),
  keyed('argument-hint: "what: where"', { argumentHint: "what: where" }),
  keyed("arguments: [tide, moon]\nwhen_to_use: At sea: always", {
    arguments: ["tide", "moon"],
    whenToUse: "At sea: always",
  }),
  keyed("disable-model-invocation: true\nuser-invocable: yes", { forModel: false, forUser: true }),
  keyed("user-invocable: 'false'\nmodel: haiku", { forUser: false, model: "haiku" }),
  keyed("disable-model-invocation: perhaps", { forModel: true }, [
    3,
    /^disable-model-invocation must be true or false/,
  ]),
  keyed("context: fork\nagent: Explore\nmodel: inherit", { forks: true, agent: "Explore", model: null }),
  keyed("context: spoon", { forks: false }, [3, /^context must be fork, or absent/]),
  keyed("context: fork\nmodel: opus\nmodel: haiku", { model: "opus" }, [5, /^model appears a second time/]),
  keyed("agent: Explore\nmodel: inherit", {}, [3, /^agent counts only with context: fork/]),
  keyed("hooks: [{\nmodel: opus\ncontext: fork", { model: "opus" }, [
    3,
    /^This is not YAML: .*hooks does not count/,
  ]),
  (name, topic) => ({
    text: skill(`description: **WHEN**: ${topic.does}: first`, topic),
    outcome: loads({ name, description: `**WHEN**: ${topic.does}: first` }),
  }),
  (name, topic) => ({
    text: skill(`description: >\n  ${topic.does},\n  and: more`, topic),
    outcome: loads({ name, description: `${topic.does}, and: more` }),
  }),
  (name, topic) => ({
    text: skill(`description: "${topic.does} \\"so\\"\\n- and a list"`, topic),
    outcome: loads({ name, description: `${topic.does} "so" - and a list` }),
  }),
  (name, topic) => ({
    text: body(topic).trimStart(),
    outcome: loads({ name, description: "How" }),
    bare: true,
  }),
  (name, topic) => ({
    text: `${topic.does}: \`git diff\`.\n---\nname: other\n---\n`,
    outcome: loads({ name, description: `${topic.does}: \`git diff\`.` }),
    bare: true,
  }),
  (name, topic) => ({
    text: skill("allowed-tools: Bash(git:*)", {
      ...topic,
      does: "Look at !`git status` and\n!`git log -3`",
    }),
    outcome: loads({ name, commands: ["git status", "git log -3"] }),
  }),
  (name, topic) => ({
    text: Buffer.from(skill(`description: ${topic.does}.`, topic).replace("Look", "L\u00f6ok"), "latin1"),
    outcome: loads({ name }, [9, /^has characters here that cannot be read/]),
  }),
  (_, topic) => ({
    text: `---\ndescription: ${topic.does}\n\nNo end.\n`,
    outcome: fails(1, /^The front matter that begins here has no end; close it/),
  }),
  () => ({
    text: "---\ndescription: Nothing below.\n---\n",
    outcome: fails(1, /^There is nothing below the front matter/),
    bare: true,
  }),
  (_, topic) => ({
    text: Buffer.from(`\uFEFF${skill("model: opus", topic)}`, "utf16le"),
    outcome: fails(null, /^is not UTF-8 text but UTF-16/),
  }),
  (_, topic) => ({
    text: body({ ...topic, does: "y".repeat(300_000) }),
    outcome: fails(null, /^has \d+ bytes, more than 262144; move what is long/),
    bare: true,
  }),
  (name, topic) => ({
    text: skill("model: opus", topic),
    called: `my ${name}`,
    outcome: fails(1, /^".*my .*" cannot be called; rename it with letters/),
    bare: true,
  }),
];

const SKILLS: readonly Style[] = [
  (name, topic) => ({
    text: skill(`name: ${name}-x\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name, alias: `${name}-x` }),
  }),
  (name, topic) => ({
    text: skill(`name: The Art of ${name}\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name }),
  }),
  (name, topic) => ({
    text: skill(`name: 潮汐_${name}\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name, alias: `潮汐_${name}` }),
  }),
];

const COMMANDS: readonly Style[] = [
  // A command is called as its file is.
  (name, topic) => ({
    text: skill(`name: another\ndescription: ${topic.does}.`, topic),
    outcome: loads({ name }),
  }),
];

function collected(
  styles: readonly Style[],
  seed: number,
  kind: string,
  pathOf: (called: string, choose: (below: number) => number) => readonly [path: string, prefix: string],
): Written[] {
  const choose = seeded(seed);
  const written: Written[] = [];
  for (const [at, style] of styles.entries())
    for (let copy = 0; copy < 4; copy++) {
      const topic = TOPICS[(at + copy * 5 + choose(5)) % TOPICS.length] ?? TOPICS[0];
      const name = `${kind}-${topic.topic}-${at}-${copy}`;
      const called = style(name, topic).called ?? name;
      const [path, prefix] = pathOf(called, choose);
      const { text, outcome, bare } = style(`${prefix}${name}`, topic);
      if (typeof text !== "string" || bare) written.push({ path, content: text, outcome });
      else {
        const { text: content, moved } = wrapped(text, choose);
        written.push({ path, content, outcome: movedBy(outcome, moved) });
      }
    }
  return written;
}

/** Skills as public collections have them, in words of our own: `NAME/SKILL.md`. */
export function writtenSkills(seed: number): Written[] {
  return [
    ...collected([...KEYS, ...SKILLS], seed, "s", (called, choose) => [
      `${called}/${choose(9) === 0 ? "skill.md" : "SKILL.md"}`,
      "",
    ]),
    { path: "README.md", content: "# Ours\n", outcome: { type: "notes" } },
    { path: "s-tide-tables-0-0/reference/MORE.md", content: "More.\n", outcome: { type: "notes" } },
    { path: "_shared/words.md", content: "Words.\n", outcome: { type: "notes" } },
  ];
}

/** Commands likewise: `FOLDER/NAME.md` is called `FOLDER:NAME`. */
export function writtenCommands(seed: number): Written[] {
  return collected([...KEYS, ...COMMANDS], seed, "c", (called, choose) => {
    const folders = [[], ["harbour"], ["harbour", "night"]][choose(3)] ?? [];
    return [[...folders, `${called}.md`].join("/"), folders.map((folder) => `${folder}:`).join("")];
  });
}
