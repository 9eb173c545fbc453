import type { PermissionMode } from "../gate.ts";
import type { Behaviour, Judgement, Rule } from "../rules.ts";
import { parseShell } from "../shell/parse.ts";
import type { ShellPart, ShellRedirect, ShellScript } from "../shell/script.ts";
import { plainText } from "../shell/words.ts";
import { exactly } from "./command-rules.ts";
import { Directories, type Whereabouts } from "./directories.ts";
import type { Books, FileAccess } from "./file-access.ts";
import { follow, moveBy } from "./follow.ts";
import { escaped } from "./path-pattern.ts";
import { dataPermit, type Permit, Permits } from "./permits.ts";
import { noRestriction, type Restriction, Restrictions } from "./restrictions.ts";
import type { Verdict } from "./verdict.ts";

interface PartFinding {
  readonly part: ShellPart;
  readonly text: string;
  readonly restriction: Restriction;
  readonly permit: Permit;
}

interface Findings {
  readonly parts: readonly PartFinding[];
  readonly restriction: Restriction;
  /** Redirects and data that are not allowed. */
  readonly refused: readonly { readonly reason: string; readonly redirect?: ShellRedirect }[];
  /** A `cd` leads to another folder. */
  readonly moves: boolean;
}

/** Decides one command (§5, §6). */
export class CommandJudge {
  readonly #books: Books;
  readonly #files: FileAccess;
  readonly #mode: PermissionMode;
  readonly #cwd: string;
  readonly #home: string;
  readonly #permits: Permits;
  readonly #restrictions: Restrictions;

  constructor(books: Books, files: FileAccess, mode: PermissionMode, cwd: string, home: string) {
    this.#books = books;
    this.#files = files;
    this.#mode = mode;
    this.#cwd = cwd;
    this.#home = home;
    this.#permits = new Permits(books, files, mode, home);
    this.#restrictions = new Restrictions(books, files, cwd, home);
  }

  judge(command: string): Verdict {
    const script = parseShell(command);
    const findings = this.#find(script);
    const parts = findings.parts.map(({ text, restriction, permit }) => ({
      text,
      decision: alone(restriction, permit),
    }));
    const verdict = (decision: Behaviour, reason: string, rule?: Rule): Verdict => {
      const proposals =
        decision === "ask" && script.problem === null ? this.#proposals(command, findings) : [];
      return { decision, reason, parts, proposals, ...(rule ? { rule } : {}) };
    };
    const { restriction } = findings;
    const deny = this.#books.deny.tool("Bash") ?? restriction.deny ?? this.#books.deny.commands.line(command);
    if (deny) return verdict("deny", `the rule ${deny.text} denies it`, deny);
    if (restriction.critical !== null) {
      return final(
        verdict("ask", `it would remove ${restriction.critical}, which no rule and no mode allows`),
      );
    }
    const ask = this.#books.ask.tool("Bash") ?? restriction.ask ?? this.#books.ask.commands.line(command);
    if (ask) return final(verdict("ask", `the rule ${ask.text} asks for it`, ask));
    if (this.#mode === "bypassPermissions") return verdict("allow", "all checks are switched off");
    if (script.problem !== null) return verdict("ask", `the command cannot be understood: ${script.problem}`);
    if (restriction.protects !== null) {
      return final(verdict("ask", `${restriction.protects} is protected, and no rule lifts that`));
    }
    return this.#allow(command, script, findings, verdict);
  }

  #allow(
    command: string,
    script: ShellScript,
    findings: Findings,
    verdict: (decision: Behaviour, reason: string, rule?: Rule) => Verdict,
  ): Verdict {
    const [refused] = findings.refused;
    const whole = this.#mode === "plan" ? null : this.#books.allow.commands.whole(command);
    const redirects = findings.refused.every(({ redirect }) => redirect === undefined);
    if (whole && redirects) return verdict("allow", `the rule ${whole.text} allows this very command`, whole);
    const bare = this.#mode === "plan" ? null : this.#books.allow.tool("Bash");
    if (
      script.parts.length === 0 &&
      findings.refused.length === 0 &&
      !script.steps.some(({ type }) => type === "redirects")
    ) {
      return verdict("ask", "there is no command in it");
    }
    if (script.forbidden !== null && !bare)
      return verdict("ask", `${script.forbidden} may do more than it shows`);
    const not = findings.parts.find(({ permit }) => permit.type === "not");
    if (not) {
      const only = this.#mode === "plan" ? "; in plan mode no rule allows more than reading" : "";
      return verdict("ask", `${not.text || not.part.source} is not allowed: ${not.permit.reason}${only}`);
    }
    if (refused && !(bare && refused.redirect === undefined)) return verdict("ask", refused.reason);
    const git = findings.parts.find(({ restriction }) => restriction.git);
    if (git && findings.moves)
      return verdict("ask", "git would run in another folder, whose configuration may run commands");
    if (git && this.#permits.bareRepository({ folders: [this.#cwd], lost: false })) {
      return verdict(
        "ask",
        "the folder itself looks like a bare repository, whose configuration may run commands",
      );
    }
    const rules = findings.parts.flatMap(({ permit }) =>
      permit.type === "allowed" && typeof permit.by === "object" ? [permit.by] : [],
    );
    const [last] = findings.parts;
    return verdict("allow", last?.permit.reason ?? "nothing in it needs a permission", rules[0]);
  }

  #find(script: ShellScript): Findings {
    const parts: PartFinding[] = [];
    const refused: { reason: string; redirect?: ShellRedirect }[] = [];
    const all = noRestriction();
    let moves = false;
    const redirects = (list: readonly ShellRedirect[], where: Directories) => {
      for (const redirect of list) {
        const permit = this.#permits.redirect(redirect, where.now, where.left);
        if (permit.type === "not") refused.push({ reason: permit.reason, redirect });
      }
    };
    follow(script, { folders: [this.#cwd], lost: false }, this.#home, {
      part: (part, where) => {
        const restriction = noRestriction();
        this.#restrictions.part(part, where.now, restriction);
        merge(all, restriction);
        const permit = this.#permits.part(part, where.now);
        parts.push({ part, text: plainText(part.words) || part.source, restriction, permit });
        redirects(part.redirects, where);
        moves ||= this.#leaves(part, where.now);
      },
      redirects: (list, where) => {
        for (const one of list) this.#restrictions.redirect(one, where.now, all);
        redirects(list, where);
      },
    });
    for (const step of script.steps) {
      const permit = step.type === "data" ? dataPermit(step.words) : null;
      if (permit?.type === "not") refused.push({ reason: permit.reason });
    }
    return { parts, restriction: all, refused, moves };
  }

  #leaves(part: ShellPart, now: Whereabouts): boolean {
    const before = new Directories(now);
    moveBy(part, before, this.#home);
    return before.now.lost || before.now.folders.some((folder) => folder !== this.#cwd);
  }

  /** Rules that would let the parts through one by one, or else the command as a whole. */
  #proposals(command: string, { parts, refused }: Findings): readonly (readonly string[])[] {
    const writes = refused.flatMap(({ redirect }) => {
      if (!redirect || redirect.type === "unknown" || !redirect.target.literal) return [];
      const verdict = this.#files.judge("edit", "Edit", redirect.target.value, this.#cwd);
      const tool = redirect.type === "read" ? "Read" : "Edit";
      return verdict.paths.map((path) => `${tool}(/${escaped(path)})`);
    });
    const each = parts.flatMap(({ part, permit }) =>
      permit.type === "not" ? [exactly(fullText(part))] : [],
    );
    return [[...new Set([...each, ...writes])], [...new Set([exactly(command.trim()), ...writes])]];
  }
}

function fullText({ assignments, words, kind, source }: ShellPart): string {
  if (kind !== "command") return source;
  return [...assignments.map(({ text }) => text), plainText(words)].filter(Boolean).join(" ");
}

/** No session grant can lift it. */
function final(verdict: Verdict): Verdict {
  return { ...verdict, proposals: [] };
}

function merge(all: Restriction, one: Restriction): void {
  all.deny ??= one.deny;
  all.ask ??= one.ask;
  all.critical ??= one.critical;
  all.protects ??= one.protects;
  all.git ||= one.git;
}

function alone({ deny, ask, critical, protects }: Restriction, { type }: Permit): Judgement["decision"] {
  if (deny) return "deny";
  return critical !== null || ask !== null || protects !== null || type === "not" ? "ask" : "allow";
}
