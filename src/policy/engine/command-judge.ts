import type { Behaviour, Rule } from "../../settings/permissions.ts";
import type { JudgeContext, Judgement, Verdict } from "../judgement.ts";
import type { GitDestruction } from "../shell/git-uses.ts";
import { parseShell } from "../shell/parse.ts";
import {
  plainWords,
  type ShellPart,
  type ShellRedirect,
  type ShellScript,
  type ShellWord,
} from "../shell/script.ts";
import { exactly } from "./command-rules.ts";
import { Directories, type Whereabouts } from "./directories.ts";
import { factsOfRedirects, joinFacts } from "./facts.ts";
import type { FileAccess } from "./file-access.ts";
import { follow, moveBy, type State } from "./follow.ts";
import { escapePath } from "./path-pattern.ts";
import { type Permit, Permits, type RedirectPermit } from "./permits.ts";
import type { Reading } from "./reading.ts";
import { noRestriction, type Restriction, Restrictions } from "./restrictions.ts";

type Decide = (
  decision: Behaviour,
  reason: string,
  more?: Partial<Pick<Verdict, "rule" | "tier" | "confined" | "proposals">>,
) => Verdict;

/** No session grant can lift it. */
const FINAL = { proposals: [] };

interface PartFinding {
  readonly part: ShellPart;
  readonly text: string;
  readonly restriction: Restriction;
  readonly permit: Permit;
  readonly state: State;
}

interface Findings {
  readonly parts: readonly PartFinding[];
  readonly restriction: Restriction;
  readonly redirects: readonly {
    readonly redirect: ShellRedirect;
    readonly permit: RedirectPermit;
    readonly state: State;
  }[];
  /** Data of a construct that is not allowed. */
  readonly data: Reading;
  /** A `cd` leads to another directory. */
  readonly moves: boolean;
}

/** Decides one command (§5, §6). */
export class CommandJudge {
  readonly #files: FileAccess;
  readonly #enforced: boolean;
  readonly #permits: Permits;
  readonly #restrictions: Restrictions;

  constructor(files: FileAccess, { enforced = false, everTracked = () => "unknown" }: JudgeContext) {
    this.#files = files;
    this.#enforced = enforced;
    this.#permits = new Permits(files, everTracked);
    this.#restrictions = new Restrictions(files);
  }

  judge(command: string): Verdict {
    const { books, mode } = this.#files;
    const script = parseShell(command);
    const findings = this.#find(script);
    const parts = findings.parts.map(({ text, restriction, permit }) => ({
      text,
      decision: this.#alone(restriction, permit),
    }));
    const verdict: Decide = (decision, reason, more = {}) => {
      const proposals =
        decision === "ask" && script.problem === null ? this.#proposals(command, findings) : [];
      return { decision, reason, parts, proposals, ...more };
    };
    const { restriction } = findings;
    const deny = books.deny.tool("Bash") ?? restriction.deny ?? books.deny.commands.line(command);
    if (deny) return verdict("deny", `the rule ${deny.text} denies it`, { rule: deny });
    const { critical, protects } = restriction;
    if (critical !== null)
      return verdict("ask", `it would remove ${critical}, which no rule and no mode allows`, FINAL);
    const ask = books.ask.tool("Bash") ?? restriction.ask ?? books.ask.commands.line(command);
    if (ask) return verdict("ask", `the rule ${ask.text} asks for it`, { rule: ask, ...FINAL });
    if (mode === "bypassPermissions")
      return verdict("allow", "all checks are switched off", { tier: "mode" });
    if (this.#files.place.shell !== "bash" && protects === null) return this.#exactly(command, verdict);
    if (script.problem !== null) return verdict("ask", `the command cannot be understood: ${script.problem}`);
    if (protects !== null) return verdict("ask", `${protects} is protected, and no rule lifts that`, FINAL);
    return this.#allow(command, script, findings, verdict);
  }

  /** In another shell's language: how bash would parse the command only restricts it (A22.31). */
  #exactly(command: string, verdict: Decide): Verdict {
    const { books, mode } = this.#files;
    const text = command.trim();
    const whole = mode === "plan" ? null : books.allow.commands.whole(text);
    if (whole)
      return verdict("allow", `the rule ${whole.text} allows this very command`, {
        rule: whole,
        tier: "rule",
      });
    return {
      ...verdict(
        "ask",
        "commands run in PowerShell here, where only a rule for exactly this command counts",
        {
          proposals: text === "" ? [] : [[exactly(text)]],
        },
      ),
      parts: [],
    };
  }

  #allow(command: string, script: ShellScript, findings: Findings, verdict: Decide): Verdict {
    const { books, mode } = this.#files;
    const whole = mode === "plan" ? null : books.allow.commands.whole(command);
    const odd = findings.redirects.find(({ permit }) => permit.type === "not")?.permit;
    if (whole && odd === undefined)
      return verdict("allow", `the rule ${whole.text} allows this very command`, {
        rule: whole,
        tier: "rule",
      });
    if (script.parts.length === 0 && findings.redirects.length === 0)
      return verdict("ask", "there is no command in it");
    const bare = mode === "plan" ? null : books.allow.tool("Bash");
    const { parts, data, restriction } = findings;
    const carried = parts.length > 0 && parts.every(({ permit }) => permit.rule !== null);
    const [last] = parts;
    const rules = parts.flatMap(({ permit }) => (permit.rule ? [permit.rule] : []));
    const confined = this.#enforced && this.#isConfined(findings);
    if (confined && !carried)
      return verdict("allow", "it only reads, in a confinement that cannot write", {
        tier: "enforced",
        confined: "read",
      });
    const not = parts.find(({ permit }) => !isPermitted(permit));
    if (not) {
      const only = mode === "plan" ? "; in plan mode no rule allows more than reading" : "";
      const { plain, confined, workspace } = not.permit;
      const writes = findings.redirects.find(
        ({ permit }) => permit.type !== "free" && permit.type !== "rule",
      );
      const unconfined = writes && confined === null ? `it writes a file, and ${plain}` : plain;
      const why = workspace ?? (this.#enforced ? (confined ?? unconfined) : plain);
      return verdict("ask", `${not.text || not.part.source} is not allowed: ${why}${only}`);
    }
    if (odd?.type === "not") return verdict("ask", odd.reason);
    if (data.plain !== null && !bare) return verdict("ask", data.plain);
    const git = this.#gitProblem(findings);
    if (git !== null) return verdict("ask", git);
    const lost = parts.find(
      ({ restriction: { destroys }, permit }) => destroys && !spellsOut(permit.rule, destroys),
    );
    if (lost?.restriction.destroys) {
      const { subcommand, words } = lost.restriction.destroys;
      const call = [...new Set([subcommand, ...words])].join(" ");
      const why = `git ${call} loses what no undo restores, and only a rule with this text allows it`;
      return verdict("ask", why, FINAL);
    }
    if (carried)
      return verdict("allow", `the rule ${rules[0]?.text} allows it`, {
        tier: "rule",
        ...(rules[0] ? { rule: rules[0] } : {}),
      });
    const writes =
      parts.some(({ permit }) => permit.plain !== null) ||
      findings.redirects.some(({ permit }) => permit.type === "workspace");
    const bound =
      rules.length === 0 &&
      findings.redirects.every(({ permit }) => permit.type !== "rule") &&
      !restriction.destroys;
    const reason = writes
      ? "it changes files of the workspace only"
      : `${last?.text.split(" ")[0] ?? "it"} only reads`;
    return verdict("allow", rules[0] ? `the rule ${rules[0].text} allows it` : reason, {
      tier: "plain",
      ...(rules[0] ? { rule: rules[0] } : {}),
      ...(this.#enforced && bound ? { confined: writes ? "write" : "read" } : {}),
    });
  }

  /** True if the whole line only reads in a confinement (§5.7). */
  #isConfined({ parts, redirects, data, restriction }: Findings): boolean {
    return (
      data.confined === null &&
      restriction.destroys === null &&
      parts.every(({ permit }) => permit.confined === null) &&
      redirects.every(
        ({ redirect, permit, state }) =>
          (permit.type !== "not" && (permit.type === "free" || redirect.type === "read")) ||
          this.#permits.confinedRead(redirect, state) === null,
      )
    );
  }

  /** Returns why git may not run here, whatever rules say (§5.6, §5.9). */
  #gitProblem({ parts, moves }: Findings): string | null {
    const calls = parts.filter(({ restriction }) => restriction.git);
    if (calls.length === 0) return null;
    if (moves) return "git would run in another directory, whose configuration may run commands";
    for (const { state, permit } of calls) {
      if (state.facts.madeRepository)
        return "an earlier part may have made a repository, whose configuration may run commands";
      if (state.facts.changedGit && permit.rule === null)
        return "an earlier part may have changed what git finds here";
      const trap = this.#permits.repositoryTrap({ folders: [this.#files.cwd], lost: false });
      if (trap !== null) return trap;
    }
    return null;
  }

  #find(script: ShellScript): Findings {
    const parts: PartFinding[] = [];
    const redirects: Findings["redirects"][number][] = [];
    const all = noRestriction();
    let moves = false;
    const judge = (list: readonly ShellRedirect[], state: State) => {
      for (const redirect of list)
        redirects.push({ redirect, permit: this.#permits.redirect(redirect, state), state });
    };
    follow(script, { folders: [this.#files.cwd], lost: false }, this.#files.place.home, {
      part: (part, state) => {
        const restriction = noRestriction();
        this.#restrictions.part(part, state, restriction);
        merge(all, restriction);
        // git's own redirects create their files before git starts.
        const own = factsOfRedirects(part.redirects, state.at);
        const seen = own.madeRepository ? { ...state, facts: joinFacts(state.facts, own) } : state;
        const permit = this.#permits.part(part, seen);
        parts.push({ part, text: plainWords(part.words) || part.source, restriction, permit, state: seen });
        judge(part.redirects, state);
        moves ||= this.#leaves(part, state.at);
      },
      redirects: (list, state) => {
        for (const one of list) this.#restrictions.redirect(one, state, all);
        judge(list, state);
      },
    });
    const words = script.steps.flatMap((step) => (step.type === "data" ? step.words : []));
    return { parts, restriction: all, redirects, data: dataReading(words), moves };
  }

  #leaves(part: ShellPart, at: Whereabouts): boolean {
    const before = new Directories(at);
    moveBy(part, before, this.#files.place.home);
    return before.now.lost || before.now.folders.some((dir) => dir !== this.#files.cwd);
  }

  #alone({ deny, ask, critical, protects, destroys }: Restriction, permit: Permit): Judgement["decision"] {
    if (deny) return "deny";
    const lost = destroys !== null && !spellsOut(permit.rule, destroys);
    if (critical !== null || ask !== null || protects !== null || lost) return "ask";
    return isPermitted(permit) || (this.#enforced && permit.confined === null) ? "allow" : "ask";
  }

  /** Returns rules that would allow each part, or else the command as a whole. */
  #proposals(command: string, { parts, redirects }: Findings): readonly (readonly string[])[] {
    const writes = redirects.flatMap(({ redirect, permit }) => {
      if (permit.type !== "not" || redirect.type === "unknown" || !redirect.target.literal) return [];
      const verdict = this.#files.judge("edit", redirect.target.value, this.#files.cwd);
      const tool = redirect.type === "read" ? "Read" : "Edit";
      return verdict.paths.map((path) => `${tool}(/${escapePath(path)})`);
    });
    const each = parts.flatMap(({ part, permit }) => (isPermitted(permit) ? [] : [exactly(fullText(part))]));
    return [[...new Set([...each, ...writes])], [...new Set([exactly(command.trim()), ...writes])]];
  }
}

function fullText({ assignments, words, kind, source }: ShellPart): string {
  if (kind !== "command") return source;
  return [...assignments.map(({ text }) => text), plainWords(words)].filter(Boolean).join(" ");
}

function merge(all: Restriction, one: Restriction): void {
  all.deny ??= one.deny;
  all.ask ??= one.ask;
  all.critical ??= one.critical;
  all.protects ??= one.protects;
  all.git ||= one.git;
  all.destroys ??= one.destroys;
}

function isPermitted({ plain, workspace, rule }: Permit): boolean {
  return rule !== null || plain === null || workspace === null;
}

/** True if a rule's own text has the subcommand and each of the destructive words (§5.12). */
function spellsOut(rule: Rule | null, { subcommand, words }: GitDestruction): boolean {
  const said = new Set(
    rule?.text
      .replace(/^Bash\(|\)$/g, "")
      .replace(/:\*$/, "")
      .split(/\s+/),
  );
  return [subcommand, ...words].every((word) => said.has(word));
}

/** Returns whether globs in the data of a construct leave the workspace, or its expansions do more than they show. */
function dataReading(words: readonly ShellWord[]): Reading {
  let [plain, confined]: [string | null, string | null] = [null, null];
  for (const { pieces, raw } of words) {
    for (const piece of pieces) {
      if (piece.type !== "forbidden") continue;
      plain ??= `${piece.text} may do more than it shows`;
      if (!piece.harmless) confined ??= `${piece.text} may do more than it shows`;
    }
    const globbed = pieces.some(({ type }) => type === "glob" || type === "brace");
    if (!globbed || !(pieces[0]?.type === "tilde" || pieces[0]?.text.startsWith("/"))) continue;
    plain ??= `${raw} looks for files outside`;
    confined ??= plain;
  }
  return { plain, confined };
}
