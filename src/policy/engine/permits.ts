import { shorten } from "../../lib/text.ts";
import type { Rule } from "../../settings/permissions.ts";
import type { EverTracked } from "../judgement.ts";
import { fileCommandTable } from "../shell/command-table.ts";
import {
  isSmallName,
  knownText,
  type Piece,
  plainWords,
  type ShellPart,
  type ShellRedirect,
  type ShellWord,
} from "../shell/script.ts";
import { findCompared, isNumberWord } from "../shell/uses.ts";
import { unwrap } from "../shell/wrappers.ts";
import { accepts, isPlainCommand, unsafeAssignments, whyNoRule } from "./command-rules.ts";
import { cdTarget, type Whereabouts } from "./directories.ts";
import { arithmeticProblem } from "./expansions.ts";
import { isPlaced } from "./facts.ts";
import { type FileAccess, operationsOf } from "./file-access.ts";
import { placedProblem } from "./file-changes.ts";
import type { State } from "./follow.ts";
import { hasGlob } from "./globs.ts";
import { neither, type Reading, ReadingCheck, type ReadingPlace } from "./reading.ts";
import type { KnownValues } from "./values.ts";

/** What may allow a part. Each is null if it does, or says why it does not. */
export interface Permit extends Reading {
  /** A change of the workspace in `acceptEdits` (§5.8); undefined for other commands. */
  readonly workspace: string | null | undefined;
  /** The allow rule that permits it. */
  readonly rule: Rule | null;
}

/** An allowed redirect: `free` needs nothing, `rule` a rule of its own, `workspace` the mode. */
export type RedirectPermit =
  | { readonly type: "free" | "workspace" }
  | { readonly type: "rule"; readonly rule: Rule }
  | { readonly type: "not"; readonly reason: string };

/** Finds what allows a part (§5.4 to §5.11). */
export class Permits {
  readonly #files: FileAccess;
  readonly #reading: ReadingCheck;

  constructor(files: FileAccess, everTracked: EverTracked) {
    this.#files = files;
    this.#reading = new ReadingCheck(files, everTracked);
  }

  part(part: ShellPart, place: ReadingPlace): Permit {
    const rule = this.#files.mode === "plan" ? null : this.#anyRule(part, place.at);
    return { ...this.#read(part, place), workspace: this.#changes(part, place), rule };
  }

  repositoryTrap(at: Whereabouts): string | null {
    return this.#reading.repositoryTrap(at);
  }

  #anyRule(part: ShellPart, at: Whereabouts): Rule | null {
    // A rule for a command does not override one that restricts reading, not even for a file that only a wildcard
    // names.
    const words = unwrap(part.words);
    const globs = words.slice(1).filter(hasGlob);
    const texts = ["echo", "printf", "test", "[", "basename", "dirname"].includes(words[0]?.value ?? "");
    const atHome = (piece: Piece): Piece =>
      piece.type === "tilde" && piece.text === "~"
        ? { type: "text", text: this.#files.place.home, quoted: true }
        : piece;
    if (!texts && globs.some(({ pieces }) => this.#files.globRestricted(pieces.map(atHome), at.folders)))
      return null;
    return this.#files.books.allow.tool("Bash") ?? this.#rule(part);
  }

  #read(part: ShellPart, place: ReadingPlace): Reading {
    const assigned = assignmentProblem(part);
    switch (part.kind) {
      case "construct":
        return {
          plain: `${shorten(part.source, 60)} is more than reading`,
          confined: part.counts
            ? arithmeticProblem(part.source, place.known)
            : `${shorten(part.source, 60)} changes the shell`,
        };
      case "test":
        return testReading(part, place.known);
      case "command": {
        const words = unwrap(part.words, "xargs");
        const [command] = words;
        if (!command) {
          if (part.assignments.length === 0) return { plain: null, confined: null };
          return {
            plain: `${part.assignments[0]?.name} would be set for what follows`,
            confined: assigned.confined,
          };
        }
        if (!isPlainCommand(command)) return neither(`${command.raw} is not a plain command name`);
        const found =
          command.value === "cd" ? this.#cd(words, part, place) : this.#reading.command(words, part, place);
        return { plain: assigned.plain ?? found.plain, confined: assigned.confined ?? found.confined };
      }
      default:
        return part.kind satisfies never;
    }
  }

  /** Returns why a file may not be read by `<` in a confinement. */
  confinedRead(redirect: ShellRedirect, place: ReadingPlace): string | null {
    return redirect.type === "read" ? this.#reading.target(redirect.target, place) : "it writes a file";
  }

  #cd(words: readonly ShellWord[], part: ShellPart, { at, facts, isLast }: ReadingPlace): Reading {
    const move = cdTarget(words, this.#files.place.home);
    if (move.to === null) return neither(move.reason);
    const { to } = move;
    let outside = 0;
    if (at.lost && !to.startsWith("/")) return neither("the directory it starts from is not known");
    for (const dir of at.folders) {
      const { paths } = this.#files.judge("read", to, dir);
      if (isPlaced(facts, paths)) return neither(`an earlier part may have changed what ${to} is`);
      if (!this.#files.paths.isInside(to, dir)) outside += 1;
    }
    const enough = isLast(part) ? at.folders.length - 1 : 0;
    return outside > enough ? neither(`${to} is outside the workspace`) : { plain: null, confined: null };
  }

  /** Checks a workspace file command in `acceptEdits` (§5.8). */
  #changes(part: ShellPart, { at, facts }: ReadingPlace): string | null | undefined {
    if (this.#files.mode !== "acceptEdits" || part.kind !== "command") return undefined;
    const words = unwrap(part.words, "xargs");
    const name = words[0]?.value ?? "";
    // Most commands are not file commands, and parsing them again takes time.
    const uses = name === "sed" || fileCommandTable.has(name) ? this.#files.usesOf(words) : null;
    if (!uses?.files) return undefined;
    const [unsafe] = unsafeAssignments(part);
    if (unsafe) return `${unsafe.name} may change what a command does`;
    if (facts.changedShell !== null) return facts.changedShell;
    if (uses.files.why !== null) return uses.files.why;
    for (const { value: path } of [...uses.reads, ...uses.writes]) {
      if (at.lost && !path.startsWith("/")) return `the directory that ${path} is in is not known`;
      for (const dir of at.folders) {
        const verdict = this.#files.judge("edit", path, dir);
        if (isPlaced(facts, verdict.paths)) return `an earlier part may have changed what ${path} is`;
        if (!verdict.inside) return `${path} is outside the workspace`;
        if (verdict.protects !== null) return `${path} is protected (${verdict.protects})`;
        if (verdict.odd !== null) return `${path} cannot be granted: ${verdict.odd}`;
        if (verdict.deny) return `the rule ${verdict.deny.text} denies it`;
      }
    }
    return placedProblem(uses.files, uses.writes, at, this.#files);
  }

  #rule(part: ShellPart): Rule | null {
    const { commands } = this.#files.books.allow;
    const known = knownText(part.words);
    const full = [...part.assignments.map(({ text }) => text), known].filter(Boolean).join(" ");
    if (part.kind !== "command") return commands.find(part.source, ({ exact }) => exact)?.rule ?? null;
    const same = commands.find(full, ({ exact }) => exact);
    if (same && part.assignments.every(({ value }) => value?.literal)) return same.rule;
    const words = unwrap(part.words);
    if (words.length === 0 || whyNoRule(words) !== null) return null;
    const fits = accepts(words);
    const safe = unsafeAssignments(part).length === 0;
    const plain = safe ? commands.find(words === part.words ? known : knownText(words), fits) : null;
    if (plain) return plain.rule;
    // A rule that spells out assignments and wrappers, before its first wildcard, allows them too.
    const leading = part.words.slice(0, part.words.length - words.length + 1);
    if (!leading.every(({ literal }) => literal) || !part.assignments.every(({ value }) => value?.literal))
      return null;
    const spelt = [...part.assignments.map(({ text }) => text), plainWords(leading)].join(" ");
    const named = { command: words[0]?.value ?? "" };
    return (
      commands.find(full, (one) => one.head.startsWith(spelt) && fits({ ...one, ...named }))?.rule ?? null
    );
  }

  /** Checks a redirect (§5.10). */
  redirect(redirect: ShellRedirect, { at, facts, afterCd }: State): RedirectPermit {
    if (redirect.type === "unknown") return not(`where ${redirect.text} leads is not known`);
    const { target } = redirect;
    if (target.literal && target.value === "/dev/null") return { type: "free" };
    if (/^\/+dev\/+(?:tcp|udp)(?:\/|$)/.test(target.value))
      return not(`${target.value} is a network connection`);
    const bare = this.#files.mode === "plan" ? null : this.#files.books.allow.tool("Bash");
    if (bare && redirect.type === "read") return { type: "rule", rule: bare };
    const home = target.pieces[0]?.type === "tilde" && target.pieces[0].text === "~";
    const plain = target.literal || (home && target.pieces.slice(1).every(({ type }) => type === "text"));
    if (!plain) return not(`where ${target.raw} leads is not known`);
    if (at.lost && !/^[/~]/.test(target.value)) return not(`the directory of ${target.value} is not known`);
    let found: RedirectPermit = { type: "free" };
    for (const operation of operationsOf(redirect)) {
      for (const dir of at.folders) {
        const verdict = this.#files.judge(operation, target.value, dir);
        if (verdict.protects !== null) return not(`${target.value} is protected (${verdict.protects})`);
        if (isPlaced(facts, verdict.paths))
          return not(`an earlier part may have changed what ${target.value} is`);
        if (bare) continue;
        if (operation === "edit" && this.#files.mode === "plan")
          return not("nothing is written while there is only a plan");
        if (operation === "edit" && afterCd)
          return not(`it writes ${target.value} after changing the directory`);
        if (!target.literal || target.value.startsWith("~"))
          return not(`${target.raw} is outside the workspace`);
        if (!verdict.allowed) {
          const what = operation === "read" ? "reading" : "writing";
          return not(
            verdict.inside
              ? `${what} ${target.value} needs a permission of its own`
              : `${target.value} is outside the workspace`,
          );
        }
        if (verdict.allow) found = { type: "rule", rule: verdict.allow };
        else if (operation === "edit" && found.type === "free") found = { type: "workspace" };
      }
    }
    return bare ? { type: "rule", rule: bare } : found;
  }
}

/** Returns why assignments in front of a command keep it from reading (§5.4, §5.7). */
function assignmentProblem(part: ShellPart): Reading {
  const [unsafe] = unsafeAssignments(part);
  const odd = part.assignments.find(({ name, simple, value }) => {
    const tame = value?.pieces.every((piece) => piece.type !== "forbidden" || piece.harmless) ?? false;
    return (
      !simple ||
      !tame ||
      !(
        isSmallName(name) ||
        (part.words.length > 0 && !unsafeAssignments(part).some((one) => one.name === name))
      )
    );
  });
  return {
    plain: unsafe ? `${unsafe.name} may change what a command does` : null,
    confined: odd ? `${odd.name} may change what a command does` : null,
  };
}

function testReading({ words }: ShellPart, known: KnownValues): Reading {
  if (words.some(({ value }) => value === "-v" || value === "-R"))
    return neither("it tests a variable by its name");
  const harmful = words
    .flatMap(({ pieces }) => pieces)
    .find((piece) => piece.type === "forbidden" && !piece.harmless);
  const compared = findCompared(words).filter((word) => word !== undefined);
  // A name in it is evaluated as arithmetic, which may assign and run.
  const runs = compared.find(({ literal, value }) => literal && !/^[+-]?\w*$/.test(value));
  const confined = harmful
    ? `${harmful.text} may do more than it shows`
    : runs
      ? `${runs.raw} may run a command`
      : (compared.map(({ value }) => arithmeticProblem(value, known)).find((problem) => problem !== null) ??
        null);
  const written = words.every(({ pieces }) =>
    pieces.every(({ type }) => type === "text" || type === "number" || type === "glob"),
  );
  if (!written) return { plain: "it tests what is not known before it runs", confined };
  return { plain: compared.every(isNumberWord) ? null : "it compares what is not a plain number", confined };
}

function not(reason: string): RedirectPermit {
  return { type: "not", reason };
}
