import { dirname } from "node:path";
import type { ReadEntry } from "../../mailbox/messages.ts";
import { escapeTags } from "../escape-tags.ts";
import type { Files } from "../files.ts";
import { splitFrontMatter } from "../front-matter/split.ts";
import { argumentsIn } from "./arguments.ts";
import { SKILL_BYTES } from "./read-skill.ts";
import type { Skill } from "./skill.ts";
import { type Piece, piecesOf } from "./template.ts";

/** Commands of one skill that are run. */
const MOST_COMMANDS = 50;
/** Characters of one command's output. */
const OUTPUT_CHARS = 20_000;
/** A line of arguments that goes into a text several times must not make it huge. */
const MOST_CHARS = 2 * SKILL_BYTES;

/** What a skill's body needs of a session. */
export interface Rendering {
  readonly files: Files;
  /** What `${NAME}` stands for. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs a command, or says why not. `written`: without arguments. */
  run(command: string, written: string): Promise<Ran>;
  /** The files that a text names with `@`. */
  named(text: string): Named;
}

/** Files as they are told, and how the read ledger knows them. */
export interface Named {
  readonly texts: readonly string[];
  readonly reads: readonly ReadEntry[];
}

export type Ran =
  | { readonly type: "ran"; readonly output: string; readonly exitCode: number | null }
  /** `reason` is a sentence. */
  | { readonly type: "not-run"; readonly reason: string };

export type Rendered =
  | {
      readonly type: "text";
      readonly text: string;
      /** What its author and whoever called it wrote, without what commands said: for the files that it names. */
      readonly written: string;
      readonly reads: readonly ReadEntry[];
    }
  | { readonly type: "unusable"; readonly reason: string };

/** The body of a skill as it is now, with all that stands for something replaced; what came of that is only text. */
export async function rendered(skill: Skill, line: string, around: Rendering): Promise<Rendered> {
  const body = bodyOf(skill, around.files);
  if (body.type === "unusable") return body;
  const { pieces } = body;
  const given: Given = { line, words: argumentsIn(line), variables: around.variables };
  const texts: string[] = [];
  const written: string[] = [];
  let left = MOST_COMMANDS;
  for (const piece of pieces) {
    if (piece.type !== "command") {
      const text = filled(piece, given);
      texts.push(text);
      written.push(text);
      continue;
    }
    left -= 1;
    texts.push(left < 0 ? notRun("there are too many commands in it") : await outputOf(piece, given, around));
    // A name that begins behind a command does not begin with it.
    written.push(" ");
  }
  const isAsked = pieces.some(usesArguments);
  const rest = line === "" || isAsked ? "" : `\n\nARGUMENTS: ${line}`;
  const own = `${texts.join("")}${rest}`;
  if (own.length > MOST_CHARS)
    return {
      type: "unusable",
      reason: `With these arguments the skill has ${own.length} characters, which is too long.`,
    };
  const mentions = `${written.join("")}${rest}`;
  const { texts: shown, reads } = around.named(mentions);
  return {
    type: "text",
    text: [own, ...shown].join("\n\n"),
    written: mentions,
    reads,
  };
}

/**
 * The body as everybody gets it who is given it without a call: no arguments, no files. Null: there are commands in it,
 * and they run for whoever loads it.
 */
export function plainText(
  skill: Skill,
  { files, variables }: Pick<Rendering, "files" | "variables">,
): Extract<Rendered, { type: "unusable" }> | { readonly type: "plain"; readonly text: string } | null {
  const body = bodyOf(skill, files);
  if (body.type === "unusable") return body;
  const given: Given = { line: "", words: [], variables };
  const texts = body.pieces.map((piece) => (piece.type === "command" ? null : filled(piece, given)));
  return texts.includes(null) ? null : { type: "plain", text: texts.join("") };
}

function bodyOf(
  { path, arguments: names }: Skill,
  files: Files,
): Extract<Rendered, { type: "unusable" }> | { readonly type: "pieces"; readonly pieces: readonly Piece[] } {
  const content = files.read(path, SKILL_BYTES);
  if (content.type === "unusable") return { type: "unusable", reason: `${path} ${content.reason}.` };
  const parts = splitFrontMatter(content.text);
  const body = (parts.type === "parts" ? parts.body : content.text).trim();
  return { type: "pieces", pieces: piecesOf(body, names) };
}

interface Given {
  readonly line: string;
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

function filled(piece: Exclude<Piece, { type: "command" }>, { line, words, variables }: Given): string {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "all-arguments":
      return line;
    case "argument":
      return words[piece.place] ?? "";
    case "variable":
      return Object.hasOwn(variables, piece.name) ? (variables[piece.name] ?? "") : piece.raw;
    default:
      return piece satisfies never;
  }
}

/** A command in a command there is not. */
function commandText(pieces: readonly Piece[], given: Given): string {
  return pieces.map((piece) => (piece.type === "command" ? "" : filled(piece, given))).join("");
}

async function outputOf(
  { pieces, written }: Extract<Piece, { type: "command" }>,
  given: Given,
  { run }: Rendering,
): Promise<string> {
  const ran = await run(commandText(pieces, given), written);
  if (ran.type === "not-run") return notRun(ran.reason);
  const whole = escapeTags(ran.output.trimEnd());
  const output =
    whole.length <= OUTPUT_CHARS ? whole : `${whole.slice(0, OUTPUT_CHARS).toWellFormed()}\n[Cut here.]`;
  const end = ran.exitCode === 0 ? "" : `[The command ended with exit code ${ran.exitCode ?? "unknown"}.]`;
  return [output, end].filter(Boolean).join("\n");
}

function notRun(reason: string): string {
  return `[A command that belongs here was not run: ${reason}]`;
}

function usesArguments(piece: Piece): boolean {
  if (piece.type === "command") return piece.pieces.some(usesArguments);
  return piece.type === "all-arguments" || piece.type === "argument";
}

/** What `${NAME}` stands for in a skill's text. */
export function variablesOf(
  skill: Skill,
  { cwd, session }: { readonly cwd: string; readonly session: string },
): Readonly<Record<string, string>> {
  const folder = dirname(skill.path);
  return {
    ...{ CLAUDE_SKILL_DIR: folder, SKILL_DIR: folder, TROUPE_SKILL_DIR: folder },
    ...{ CLAUDE_PROJECT_DIR: cwd, CLAUDE_SESSION_ID: session },
    ...(skill.plugin === null ? {} : { CLAUDE_PLUGIN_ROOT: skill.plugin }),
  };
}
