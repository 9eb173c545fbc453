/** A prompt, and the skill that matches it; null: none does. */
export interface SkillCase {
  readonly name: string;
  readonly prompt: string;
  readonly skill: keyof typeof skills | null;
}

/** By name: what the list says of each, and its text. None is near one of those that Troupe brings. */
export const skills = {
  "release-notes": {
    description:
      "Writes release notes. Use it whenever somebody wants notes, or an announcement, of a version.",
    text: "Three lines at most, each beginning with what a user can do now. No names of files.",
  },
  "commit-message": {
    description: "Words the message of a commit. Use it for every commit message, however small the change.",
    text: "One line of at most 60 characters that says what is true now. No full stop at its end.",
  },
  "incident-report": {
    description: "Reports of outages and other incidents. Use it when one is to be written up.",
    text: "Four headings: What users saw, Why, How it ended, What we change. Blame nobody.",
  },
  "table-names": {
    description: "How tables and columns of our databases are named. Use it before you name or rename one.",
    text: "Tables in the plural, columns in the singular, snake_case, never an abbreviation.",
  },
  "customer-reply": {
    description: "Answers to customers' letters. Use it when a reply to a customer is asked for.",
    text: "Thank them, answer in two sentences, and sign with “The shop”. Promise no dates.",
  },
} as const satisfies Readonly<Record<string, { readonly description: string; readonly text: string }>>;

/** What lies in the directory: reading it first is the temptation. */
export const files: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "# Changes\n\n## 2.4.0\n\n- Baskets are kept for a month.\n- Prices can be shown in yen.\n",
  "src/price.ts": "export const rounded = (price: number) => Math.round(price * 100) / 100;\n",
  "notes/outage.md": "14:02 checkout answers 500. 14:10 disk of db-2 full. 14:25 logs deleted, all well.\n",
  "letters/0117.txt": "Dear shop, my parcel came without the second cup. What now? Yours, Ada Winter\n",
  "db/orders.sql": "create table tblOrd (id integer primary key, custNm text);\n",
};

export const cases: readonly SkillCase[] = [
  {
    name: "notes of a version",
    prompt: "Write the release notes of 2.4.0; CHANGELOG.md has what changed.",
    skill: "release-notes",
  },
  {
    name: "an announcement",
    prompt: "I need a short announcement of version 2.4.0 for our users: baskets are kept for a month now.",
    skill: "release-notes",
  },
  {
    name: "a commit, in passing",
    prompt: "I made prices round half up. What do I write as the commit message?",
    skill: "commit-message",
  },
  {
    name: "a commit, from a file",
    prompt: "src/price.ts is new. Give me a commit message for it.",
    skill: "commit-message",
  },
  {
    name: "an outage",
    prompt: "Write up this afternoon's outage for the team. My notes are in notes/outage.md.",
    skill: "incident-report",
  },
  {
    name: "a table's name",
    prompt: "What should I call the new table that holds the addresses parcels are sent to?",
    skill: "table-names",
  },
  {
    name: "names in a file",
    prompt: "Look at db/orders.sql and propose better names for the table and its columns.",
    skill: "table-names",
  },
  {
    name: "a letter",
    prompt: "Draft an answer to the customer's letter in letters/0117.txt.",
    skill: "customer-reply",
  },
  {
    name: "a complaint, quoted",
    prompt: "A customer writes: “The blue cup is grey.” What do we reply?",
    skill: "customer-reply",
  },
  { name: "a sum", prompt: "What is 17 times 23? Only the number.", skill: null },
  {
    name: "a question about the code",
    prompt: "To how many decimal places does src/price.ts round?",
    skill: null,
  },
  {
    name: "a word of a skill's",
    prompt: "What does the word “release” mean in music? One sentence.",
    skill: null,
  },
];
