import { resolve } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import type { PermissionMode, Rule } from "../../settings/permissions.ts";
import type { JudgeContext, Judgement, Verdict } from "../judgement.ts";
import { CommandJudge } from "./command-judge.ts";
import { type Books, FileAccess } from "./file-access.ts";
import { decided, judgeEditing, judgeReading } from "./file-judge.ts";
import { fetchTarget } from "./network-hosts.ts";
import { type Anchors, placeOf, type ResolvedAnchors } from "./place.ts";
import { RuleBook } from "./rule-book.ts";
import { allowedByMode, EDITORS, type Input, READERS, readInput, textField } from "./tool-table.ts";

/** Decides a WebFetch (§7), after whole-tool and field rules that deny or ask. */
function judgeFetch(books: Books, mode: PermissionMode, url: string): Verdict {
  const { host, odd, guarded } = fetchTarget(url);
  const found = (book: Books["deny"]) =>
    host === null
      ? undefined
      : book.hosts.find((one) => one.host.matches(host) || one.host.matches(host.replace(/\.+$/, "")));
  const deny = found(books.deny);
  if (deny) return decided("deny", `the rule ${deny.rule.text} denies it`, deny.rule);
  const ask = found(books.ask);
  if (ask) return decided("ask", `the rule ${ask.rule.text} asks for it`, ask.rule);
  if (mode === "bypassPermissions") return decided("allow", "all checks are switched off");
  if (odd !== null || host === null)
    return decided("ask", `the address cannot be granted: ${odd ?? "it names no host"}`);
  const allow = books.allow.hosts.find((one) => (!guarded || one.host.exact) && one.host.matches(host));
  const rule = allow?.rule ?? (guarded ? null : books.allow.tool("WebFetch"));
  if (rule) return decided("allow", `the rule ${rule.text} allows it`, rule);
  const reason = guarded
    ? `${host} is a private or local address, which only a rule with its name allows`
    : `no rule allows ${host}`;
  return { ...decided("ask", reason), proposals: [[`WebFetch(domain:${host})`]] };
}

/**
 * Returns the permission engine (permission-semantics). `/p` in rules of scope `user` is below the user's settings
 * directory, as in Claude Code; in all others below the project's root.
 */
export function engineOf(rules: readonly Rule[], anchors: Anchors): PolicyEngine {
  return new PolicyEngine(rules, placeOf(anchors));
}

/** One call to decide, as it came. */
interface Call {
  readonly mode: PermissionMode;
  readonly cwd: string;
  readonly tool: string;
  readonly input: unknown;
  readonly context: JudgeContext;
}

/** Decides calls by rules that were read once; made by `engineOf`. */
export class PolicyEngine {
  readonly #books: Books;
  readonly #rules: readonly Rule[];
  readonly #place: ResolvedAnchors;

  constructor(rules: readonly Rule[], place: ResolvedAnchors) {
    this.#rules = rules;
    this.#place = place;
    this.#books = {
      deny: new RuleBook("deny", rules, place),
      ask: new RuleBook("ask", rules, place),
      allow: new RuleBook("allow", rules, place),
    };
  }

  /** Sentences for the start about rules that are invalid. */
  get problems(): readonly string[] {
    const { deny, ask, allow } = this.#books;
    return [...deny.problems, ...ask.problems, ...allow.problems];
  }

  /** Never throws: an internal error is a denial with a reason. */
  judge(
    mode: PermissionMode,
    cwd: string,
    tool: string,
    input: unknown,
    context: JudgeContext = {},
  ): Judgement {
    try {
      const call = { mode, cwd, tool, input, context };
      const { proposals, ...verdict } = this.#decide(this.#books, call);
      if (verdict.decision === "allow")
        return { tier: verdict.rule ? "rule" : "mode", ...verdict, grants: [] };
      if (verdict.decision === "deny") return { ...verdict, grants: [] };
      const works = (grants: readonly string[]) => this.#lifts(grants, call);
      const grants = proposals.find((grants) => grants.length > 0 && works(grants)) ?? [];
      return { ...verdict, ...(mode === "dontAsk" ? { decision: "deny" } : {}), grants };
    } catch (error) {
      const what = errorMessage(error);
      return { decision: "deny", reason: `the permission engine failed (${what})`, parts: [], grants: [] };
    }
  }

  /** True if a rule allows WebFetch for this exact host, in WHATWG form, and not by a wildcard (§7). */
  namesHost(host: string): boolean {
    return this.#books.allow.hosts.some(({ host: pattern }) => pattern.exact && pattern.matches(host));
  }

  /** True if a file that a search found must be left out of its results (§4.5). `path` is absolute. */
  hides(cwd: string, asks?: "asks-too"): (path: string) => boolean {
    const files = new FileAccess(this.#books, this.#place, "default", resolve(cwd));
    return (path) => files.denies(path, cwd, asks);
  }

  /** True if a rule denies changing this file. `path` is absolute. */
  keeps(cwd: string): (path: string) => boolean {
    const files = new FileAccess(this.#books, this.#place, "default", resolve(cwd));
    return (path) => files.judge("edit", path, cwd).deny !== null;
  }

  /** True if the call would be allowed with these additional rules. */
  #lifts(grants: readonly string[], call: Call): boolean {
    const more = grants.map((text): Rule => ({ text, behaviour: "allow", scope: "session" }));
    // Rules that deny and ask are already evaluated and do not change.
    const relevant = this.#rules.filter(({ behaviour }) => behaviour === "allow");
    const books = { ...this.#books, allow: new RuleBook("allow", [...more, ...relevant], this.#place) };
    return this.#decide(books, call).decision === "allow";
  }

  #decide(books: Books, call: Call): Verdict {
    const { tool } = call;
    const denied = books.deny.tool(tool);
    const input = readInput(tool, call.input);
    if ("malformed" in input && typeof input.malformed === "string") {
      return denied
        ? decided("deny", `the rule ${denied.text} denies it`, denied)
        : decided("ask", `the call cannot be judged: ${input.malformed}`);
    }
    const deny = denied ?? books.deny.field(tool, input);
    if (deny) return decided("deny", `the rule ${deny.text} denies it`, deny);
    const asked = books.ask.tool(tool) ?? books.ask.field(tool, input);
    const verdict = this.#byTool(books, call, input);
    if (!asked || verdict.decision === "deny") return verdict;
    return { ...decided("ask", `the rule ${asked.text} asks for it`, asked), parts: verdict.parts };
  }

  #byTool(books: Books, { mode, cwd, tool, context }: Call, input: Input): Verdict {
    const files = new FileAccess(books, this.#place, mode, resolve(cwd));
    if (tool === "Bash") return new CommandJudge(files, context).judge(textField(input, "command") ?? "");
    if (READERS.has(tool)) return judgeReading(files, tool, input);
    if (EDITORS.has(tool)) return judgeEditing(files, tool, input);
    if (tool === "WebFetch") return judgeFetch(books, mode, textField(input, "url") ?? "");
    return other(books, mode, tool, input);
  }
}

function other(books: Books, mode: PermissionMode, tool: string, input: Input): Verdict {
  if (tool === "ExitPlanMode") return decided("ask", "leaving plan mode is the user's decision");
  if (mode === "bypassPermissions") return decided("allow", "all checks are switched off");
  const rule = books.allow.tool(tool) ?? books.allow.field(tool, input);
  if (rule) return decided("allow", `the rule ${rule.text} allows it`, rule);
  if (allowedByMode(tool, input, mode)) return decided("allow", `${tool} needs no permission in this mode`);
  return { ...decided("ask", `no rule allows ${tool}`), proposals: [[tool]] };
}
