import { dirname } from "node:path";
import type { ReadEntry } from "../../mailbox/messages.ts";
import { escapeTags } from "../escape-tags.ts";
import type { Files } from "../files.ts";
import { MAX_MARKDOWN_BYTES, splitFrontMatter } from "../markdown/read-markdown.ts";
import type { Skill } from "./skill.ts";
import { argumentsIn, type TemplatePiece, templatePieces } from "./template.ts";

/** Commands of one skill that run. */
const MAX_COMMANDS = 50;
/** Characters of one command's output. */
const MAX_OUTPUT_CHARS = 20_000;
/** Arguments that are put into a text several times must not make it huge. */
const MAX_CHARS = 2 * MAX_MARKDOWN_BYTES;

/** What a skill's body needs of a session. */
export interface Rendering {
  readonly files: Files;
  /** The values of `${NAME}`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs a command, or says why not. `written`: without arguments. */
  run(command: string, written: string): Promise<RenderedCommand>;
  /** The files that a text names with `@`. */
  named(text: string): Named;
}

/** Files as they are shown, with their entries for the read ledger. */
export interface Named {
  readonly texts: readonly string[];
  readonly reads: readonly ReadEntry[];
}

export type RenderedCommand =
  | { readonly type: "ran"; readonly output: string; readonly exitCode: number | null }
  /** `reason` is a sentence. */
  | { readonly type: "not-run"; readonly reason: string };

interface Unusable {
  readonly type: "unusable";
  readonly reason: string;
}

export type Rendered =
  | {
      readonly type: "text";
      readonly text: string;
      /** What its author and its caller wrote, without output of commands: this may name files. */
      readonly written: string;
      readonly reads: readonly ReadEntry[];
    }
  | Unusable;

/** Renders the body of a skill as it is now; whatever replaces a placeholder is only text. */
export async function renderSkill(skill: Skill, line: string, around: Rendering): Promise<Rendered> {
  const body = readPieces(skill, around.files);
  if (body.type === "unusable") return body;
  const given: Arguments = { line, words: argumentsIn(line), variables: around.variables };
  const texts: string[] = [];
  const written: string[] = [];
  let left = MAX_COMMANDS;
  for (const piece of body.pieces) {
    if (piece.type !== "command") {
      const text = fill(piece, given);
      texts.push(text);
      written.push(text);
      continue;
    }
    left -= 1;
    texts.push(left < 0 ? notRun("there are too many commands in it") : await runPiece(piece, given, around));
    // The end of a command is not the beginning of a name.
    written.push(" ");
  }
  const usesArguments = body.pieces.some((piece) => takesArgument(piece, given.words));
  const rest = line === "" || usesArguments ? "" : `\n\nARGUMENTS: ${line}`;
  const own = `${texts.join("")}${rest}`;
  if (own.length > MAX_CHARS)
    return {
      type: "unusable",
      reason: `With these arguments the skill has ${own.length} characters, which is too long.`,
    };
  const mentions = `${written.join("")}${rest}`;
  const { texts: shown, reads } = around.named(mentions);
  return { type: "text", text: [own, ...shown].join("\n\n"), written: mentions, reads };
}

/**
 * Renders the body for an agent that starts with it: without arguments and files. Returns null if it has commands, which
 * run for the agent that loads it.
 */
export function renderPlain(
  skill: Skill,
  { files, variables }: Pick<Rendering, "files" | "variables">,
): Unusable | { readonly type: "plain"; readonly text: string } | null {
  const body = readPieces(skill, files);
  if (body.type === "unusable") return body;
  const given: Arguments = { line: "", words: [], variables };
  const texts = body.pieces.map((piece) => (piece.type === "command" ? null : fill(piece, given)));
  return texts.includes(null) ? null : { type: "plain", text: texts.join("") };
}

function readPieces(
  { path, arguments: names }: Skill,
  files: Files,
): Unusable | { readonly type: "pieces"; readonly pieces: readonly TemplatePiece[] } {
  const content = files.read(path, MAX_MARKDOWN_BYTES);
  if (content.type === "unusable") return { type: "unusable", reason: `${path} ${content.reason}.` };
  const parts = splitFrontMatter(content.text);
  const whole = parts.type === "parts" ? parts.body : content.text.replace(/^\uFEFF/, "");
  // The first line keeps its indentation.
  const body = whole.replace(/^\s*(?:\n|\r(?!\n))/, "").trimEnd();
  return { type: "pieces", pieces: templatePieces(body, names) };
}

interface Arguments {
  readonly line: string;
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

function fill(
  piece: Exclude<TemplatePiece, { type: "command" }>,
  { line, words, variables }: Arguments,
): string {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "all-arguments":
      return line;
    case "argument":
      return words[piece.position] ?? piece.raw;
    case "escaped":
      return takesArgument(piece.of, words) ? piece.of.raw : `\\${piece.of.raw}`;
    case "variable":
      return Object.hasOwn(variables, piece.name) ? (variables[piece.name] ?? "") : piece.raw;
    default:
      return piece satisfies never;
  }
}

async function runPiece(
  { pieces, written }: Extract<TemplatePiece, { type: "command" }>,
  given: Arguments,
  { run }: Rendering,
): Promise<string> {
  const command = pieces.map((piece) => (piece.type === "command" ? "" : fill(piece, given))).join("");
  const ran = await run(command, written);
  if (ran.type === "not-run") return notRun(ran.reason);
  const whole = escapeTags(ran.output.trimEnd());
  const output =
    whole.length <= MAX_OUTPUT_CHARS
      ? whole
      : `${whole.slice(0, MAX_OUTPUT_CHARS).toWellFormed()}\n[Cut here.]`;
  const end = ran.exitCode === 0 ? "" : `[The command ended with exit code ${ran.exitCode ?? "unknown"}.]`;
  return [output, end].filter(Boolean).join("\n");
}

function notRun(reason: string): string {
  return `[A command that belongs here was not run: ${reason}]`;
}

function takesArgument(piece: TemplatePiece, words: readonly string[]): boolean {
  if (piece.type === "command") return piece.pieces.some((inner) => takesArgument(inner, words));
  return piece.type === "all-arguments" || (piece.type === "argument" && piece.position < words.length);
}

/** Returns the values of `${NAME}` in a skill's text. */
export function variablesOf(
  skill: Skill,
  { cwd, session }: { readonly cwd: string; readonly session: string },
): Readonly<Record<string, string>> {
  const dir = dirname(skill.path);
  return {
    ...{ CLAUDE_SKILL_DIR: dir, SKILL_DIR: dir, TROUPE_SKILL_DIR: dir },
    ...{ CLAUDE_PROJECT_DIR: cwd, CLAUDE_SESSION_ID: session },
    ...skill.variables,
  };
}

/** Returns a skill as it is in a conversation. `typed`: the user called it. */
export function loadedText(skill: Skill, args: string, body: string, typed: boolean): string {
  return [
    `<command-name>${typed ? "/" : ""}${skill.name}</command-name>`,
    ...(args === "" ? [] : [`<command-args>${escapeTags(args)}</command-args>`]),
    ...(skill.kind === "command" ? [] : [`Base directory of this skill: ${dirname(skill.path)}`]),
    "",
    escapeTags(body),
  ].join("\n");
}

/** True if one of these texts has loaded the skill: the tag is a line of its own there, as the runtime writes it. */
export function isLoadedBy(texts: readonly string[], name: string): boolean {
  const tags = [`<command-name>${name}</command-name>`, `<command-name>/${name}</command-name>`];
  return texts.some(
    (text) => text.includes("<command-name>") && text.split("\n").some((line) => tags.includes(line)),
  );
}
