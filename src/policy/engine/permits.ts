import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "../gate.ts";
import type { Rule } from "../rules.ts";
import { fileCommandUses } from "../shell/file-commands.ts";
import { readOnlyUses, takesText } from "../shell/read-only.ts";
import type { ShellPart, ShellRedirect } from "../shell/script.ts";
import { isNumber } from "../shell/tests.ts";
import { knownText, type Piece, plainText, type ShellWord } from "../shell/words.ts";
import { unwrapped } from "../shell/wrappers.ts";
import { accepts, isPlainCommand, unsafeAssignments, whyNoRule } from "./command-words.ts";
import type { Whereabouts } from "./directories.ts";
import type { Books, FileAccess } from "./file-access.ts";
import { mayBeFed, namesOf } from "./xargs-names.ts";

/** Why something is allowed, or why it is not. */
export type Permit =
  | { readonly type: "allowed"; readonly by: Rule | "read-only" | "workspace"; readonly reason: string }
  | { readonly type: "not"; readonly reason: string };

/** What a `cd` does. */
export type Move = { readonly to: string } | { readonly to: null; readonly reason: string };

/** Looks for a proof that a part may run (§5.6 to §5.9). */
export class Permits {
  readonly #books: Books;
  readonly #files: FileAccess;
  readonly #mode: PermissionMode;
  readonly #home: string;

  constructor(books: Books, files: FileAccess, mode: PermissionMode, home: string) {
    this.#books = books;
    this.#files = files;
    this.#mode = mode;
    this.#home = home;
  }

  part(part: ShellPart, at: Whereabouts): Permit {
    const own = this.#ownDoing(part, at);
    if (own.type === "allowed" || this.#mode === "plan") return own;
    const finds = this.#findsDenied(part, at);
    if (finds !== null) return not(`${finds.raw} would find a file that a rule denies`);
    const bare = this.#books.allow.tool("Bash");
    if (bare) return { type: "allowed", by: bare, reason: `the rule ${bare.text} allows every command` };
    const rule = this.#rule(part);
    return rule ? { type: "allowed", by: rule, reason: `the rule ${rule.text} allows it` } : own;
  }

  /** No rule for a command lifts a rule that denies reading, not even for a file that only a wildcard names. */
  #findsDenied(part: ShellPart, at: Whereabouts): ShellWord | null {
    const { words } = unwrapped(part.words);
    if (readOnlyUses(words, part.loopNames) === null || takesText(words[0]?.value ?? "")) return null;
    const globs = words.slice(1).filter(({ pieces }) => pieces.some(({ type }) => type === "glob"));
    const atHome = (piece: Piece): Piece =>
      piece.type === "tilde" && piece.text === "~" ? { type: "text", text: this.#home, quoted: true } : piece;
    return globs.find(({ pieces }) => this.#files.globDenied(pieces.map(atHome), at.folders)) ?? null;
  }

  /** Whether it is read-only, or in acceptEdits a change inside the workspace. */
  #ownDoing(part: ShellPart, at: Whereabouts): Permit {
    const [unsafe] = unsafeAssignments(part);
    if (unsafe) return not(`${unsafe.name} may change what a command does`);
    switch (part.kind) {
      case "construct":
        return not("only a rule for all of Bash allows such a construct");
      case "test":
        return testPermit(part);
      case "command": {
        const { words, xargs } = unwrapped(part.words);
        const [command] = words;
        if (!command)
          return part.assignments.length > 0 ? this.#bareAssignment(part) : readOnly("it only redirects");
        if (!isPlainCommand(command)) return not(`${command.raw} is not a plain command name`);
        if (command.value === "cd" && !xargs) return this.#cd(words, at);
        if (xargs) return this.#fed(words, part, at);
        return this.#recognised(words, part, at);
      }
      default:
        return part.kind satisfies never;
    }
  }

  #bareAssignment(part: ShellPart): Permit {
    return not(`${part.assignments[0]?.name ?? "a variable"} would be set for what follows`);
  }

  #recognised(words: readonly ShellWord[], part: ShellPart, at: Whereabouts): Permit {
    const name = words[0]?.value ?? "";
    const uses = readOnlyUses(words, part.loopNames);
    if (uses !== null) {
      const glob = uses.globs.find((prefix) => this.#mayFindDenied(prefix, at));
      const reason =
        uses.why ??
        (glob === undefined ? null : `${glob}* may find a file that a rule denies`) ??
        this.#unreadable(uses.reads, at);
      if (reason === null) return this.#gitHere(name, at) ?? readOnly(`${name} only reads`);
      if (name !== "sed") return not(reason);
    }
    return this.#writes(words, at) ?? not(uses?.why ?? `${name} is not known to be read-only`);
  }

  /** git reads its configuration, and runs what it names, from a folder that looks like a repository itself. */
  #gitHere(name: string, at: Whereabouts): Permit | null {
    return name === "git" && this.bareRepository(at)
      ? not("the folder itself looks like a bare repository")
      : null;
  }

  bareRepository({ folders }: Whereabouts): boolean {
    return folders.some((folder) =>
      ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name))),
    );
  }

  /** Behind xargs stand words that nobody has seen: harmless as text, and as names from a list of names. */
  #fed(words: readonly ShellWord[], part: ShellPart, at: Whereabouts): Permit {
    const name = words[0]?.value ?? "";
    if (["echo", "basename", "dirname"].includes(name)) return this.#recognised(words, part, at);
    if (!mayBeFed(name, part.before)) return not(`${name} would be given options that nobody has seen`);
    const listed = part.before?.length ? namesOf(part.before) : null;
    if (listed === null) return not(`${name} would be given names that nobody has seen`);
    return this.#recognised([...words, ...listed], part, at);
  }

  #cd(words: readonly ShellWord[], at: Whereabouts): Permit {
    const move = cdTarget(words, this.#home);
    if (move.to === null) return not(move.reason);
    const to = move.to;
    if (at.lost && !to.startsWith("/")) return not("the folder it starts from is not known");
    return at.folders.every((folder) => this.#files.isInside(to, folder))
      ? readOnly("it stays in the workspace")
      : not(`${to} is outside the workspace`);
  }

  #unreadable(reads: readonly string[], at: Whereabouts): string | null {
    for (const path of reads) {
      if (at.lost && !/^[/~]/.test(path)) return `the folder that ${path} is in is not known`;
      if (/^~[^/]/.test(path)) return `${path} is another person's folder`;
      for (const folder of at.folders) {
        const { allowed, odd, inside, deny } = this.#files.judge("read", "Read", path, folder);
        if (deny) return `the rule ${deny.text} denies reading ${path}`;
        if (!allowed)
          return odd !== null
            ? `${path} cannot be granted: ${odd}`
            : inside
              ? `${path} may not be read`
              : `${path} is outside the workspace`;
      }
    }
    return null;
  }

  #mayFindDenied(prefix: string, { folders, lost }: Whereabouts): boolean {
    if (lost) return true;
    return folders.some((folder) =>
      this.#files.mayDenyBelow(
        prefix.startsWith("/") ? prefix : `${folder}/${prefix.replace(/^(?:\.\/+)+/, "")}`,
      ),
    );
  }

  /** A workspace file command in acceptEdits (§5.7); null where the command is none, or the mode another. */
  #writes(words: readonly ShellWord[], at: Whereabouts): Permit | null {
    if (this.#mode !== "acceptEdits") return null;
    const uses = fileCommandUses(words);
    if (uses === null) return null;
    if (uses.why !== null) return not(uses.why);
    for (const path of [...uses.reads, ...uses.writes]) {
      if (at.lost && !path.startsWith("/")) return not(`the folder that ${path} is in is not known`);
      for (const folder of at.folders) {
        const verdict = this.#files.judge("edit", "Edit", path, folder);
        if (!verdict.inside) return not(`${path} is outside the workspace`);
        if (verdict.protects !== null) return not(`${path} is protected (${verdict.protects})`);
        if (verdict.odd !== null) return not(`${path} cannot be granted: ${verdict.odd}`);
        if (verdict.deny) return not(`the rule ${verdict.deny.text} denies it`);
      }
    }
    return {
      type: "allowed",
      by: "workspace",
      reason: `${words[0]?.value ?? "it"} changes files of the workspace only`,
    };
  }

  #rule(part: ShellPart): Rule | null {
    const { commands } = this.#books.allow;
    const full = [...part.assignments.map(({ text }) => text), knownText(part.words)]
      .filter(Boolean)
      .join(" ");
    if (part.kind !== "command") return commands.find(part.source, ({ exact }) => exact)?.rule ?? null;
    const same = commands.find(full, ({ exact }) => exact);
    if (same && part.assignments.every(({ value }) => value?.literal)) return same.rule;
    const { words } = unwrapped(part.words);
    if (words.length === 0 || whyNoRule(words) !== null) return null;
    const fits = accepts(words);
    const safe = unsafeAssignments(part).length === 0;
    const plain = safe ? commands.find(knownText(words), fits) : null;
    if (plain) return plain.rule;
    // A rule that spells out assignments and wrappers, before its first wildcard, allows them too.
    const leading = part.words.slice(0, part.words.length - words.length + 1);
    if (!leading.every(({ literal }) => literal) || !part.assignments.every(({ value }) => value?.literal))
      return null;
    const spelt = [...part.assignments.map(({ text }) => text), plainText(leading)].join(" ");
    const named = { command: words[0]?.value ?? "" };
    return (
      commands.find(full, (one) => one.head.startsWith(spelt) && fits({ ...one, ...named }))?.rule ?? null
    );
  }

  /** Whether a redirect may be (§5.8). */
  redirect(redirect: ShellRedirect, at: Whereabouts, afterCd: boolean): Permit {
    if (redirect.type === "unknown") return not(`where ${redirect.text} leads is not known`);
    const { target } = redirect;
    if (target.literal && target.value === "/dev/null") return readOnly("it leads nowhere");
    if (/^\/+dev\/+(?:tcp|udp)(?:\/|$)/.test(target.value))
      return not(`${target.value} is a network connection`);
    const bare = this.#mode === "plan" ? null : this.#books.allow.tool("Bash");
    const lifted: Permit | null = bare && {
      type: "allowed",
      by: bare,
      reason: `the rule ${bare.text} allows it`,
    };
    if (lifted && redirect.type === "read") return lifted;
    const home = target.pieces[0]?.type === "tilde" && target.pieces[0].text === "~";
    const plain = target.literal || (home && target.pieces.slice(1).every(({ type }) => type === "text"));
    if (!plain) return not(`where ${target.raw} leads is not known`);
    if (at.lost && !/^[/~]/.test(target.value)) return not(`the folder of ${target.value} is not known`);
    const reads = redirect.type === "read" ? [] : (["edit"] as const);
    for (const operation of redirect.type === "write" ? reads : [...reads, "read" as const]) {
      for (const folder of at.folders) {
        const verdict = this.#files.judge(
          operation,
          operation === "read" ? "Read" : "Edit",
          target.value,
          folder,
        );
        if (verdict.protects !== null) return not(`${target.value} is protected (${verdict.protects})`);
        if (bare) continue;
        if (operation === "edit" && this.#mode === "plan")
          return not("nothing is written while there is only a plan");
        if (operation === "edit" && afterCd)
          return not(`it writes ${target.value} after changing the folder`);
        if (!target.literal || /^~/.test(target.value)) return not(`${target.raw} is outside the workspace`);
        if (!verdict.allowed)
          return not(
            `${operation === "read" ? "reading" : "writing"} ${target.value} needs a permission of its own`,
          );
      }
    }
    return lifted ?? readOnly("it may be written");
  }
}

/** Where a `cd` leads as it is written. */
export function cdTarget(words: readonly ShellWord[], home: string): Move {
  const rest = words.slice(1);
  const end = rest.findIndex(({ value }) => !/^-[LPe@]+$/.test(value));
  const from = end < 0 ? [] : rest.slice(end);
  const operands = from[0]?.value === "--" ? from.slice(1) : from;
  const [target, ...more] = operands;
  if (!target || more.length > 0)
    return { to: null, reason: "cd without one folder leads to a place that is not written" };
  const [first, ...others] = target.pieces;
  const own = first?.type === "tilde" && first.text === "~" && others.every(({ type }) => type === "text");
  if (own) return { to: `${home}${others.map(({ text }) => text).join("")}` };
  if (!target.literal || target.value === "" || target.value === "-" || target.value.startsWith("~")) {
    return { to: null, reason: `where cd ${target.raw} leads is not known` };
  }
  return { to: target.value };
}

function testPermit({ words, compared }: ShellPart): Permit {
  if (words.some(({ value }) => value === "-v" || value === "-R"))
    return not("it tests a variable by its name");
  if (
    !words.every(({ pieces }) =>
      pieces.every(({ type }) => type === "text" || type === "glob" || type === "number"),
    )
  ) {
    return not("it tests what is not known before it runs");
  }
  return compared.every(isNumber) ? readOnly("it is a test") : not("it compares what is not a plain number");
}

function readOnly(reason: string): Permit {
  return { type: "allowed", by: "read-only", reason };
}

function not(reason: string): Permit {
  return { type: "not", reason };
}

/** Whether globs among the data of a construct look outside. */
export function dataPermit(words: readonly ShellWord[]): Permit {
  for (const { pieces, raw } of words) {
    if (pieces.some(({ type }) => type === "forbidden")) return not(`${raw} may do more than it shows`);
    const globbed = pieces.some(({ type }) => type === "glob" || type === "brace");
    if (globbed && (pieces[0]?.type === "tilde" || pieces[0]?.text.startsWith("/")))
      return not(`${raw} looks for files outside`);
  }
  return readOnly("it is data");
}
