import type { Behaviour, Rule } from "../../settings/permissions.ts";
import { CommandRules } from "./command-rules.ts";
import { type HostPattern, hostPattern } from "./network-hosts.ts";
import { compilePathPattern, type PathPattern } from "./path-pattern.ts";
import type { ResolvedAnchors } from "./place.ts";
import { caseProblem, parseRule, wildcard } from "./rule-syntax.ts";
import { EDITORS, OWN_FIELDS, READERS } from "./tool-table.ts";

/** A rule about files: of a whole tool, or of the paths that its patterns match. */
export interface BoundRule {
  readonly rule: Rule;
  readonly tool: string;
  /** Null for the whole tool. */
  readonly patterns: readonly PathPattern[] | null;
}

interface FieldRule {
  readonly rule: Rule;
  readonly tool: string;
  readonly value: RegExp;
}

interface HostRule {
  readonly rule: Rule;
  readonly host: HostPattern;
}

/** All rules of one behaviour, indexed by their subject. */
export class RuleBook {
  readonly commands = new CommandRules();
  readonly paths: BoundRule[] = [];
  readonly hosts: HostRule[] = [];
  /** Rules that cannot be used, and why: a clause. */
  readonly faults: { readonly rule: Rule; readonly problem: string }[] = [];
  readonly #tools = new Map<string, Rule>();
  readonly #globs: { readonly rule: Rule; readonly pattern: RegExp }[] = [];
  /** By the name of the field. */
  readonly #fields = new Map<string, FieldRule[]>();
  readonly #names: { readonly rule: Rule; readonly tool: string; readonly name: RegExp }[] = [];
  readonly #behaviour: Behaviour;
  readonly #place: ResolvedAnchors;

  constructor(behaviour: Behaviour, rules: readonly Rule[], place: ResolvedAnchors) {
    this.#behaviour = behaviour;
    this.#place = place;
    for (const rule of rules) if (rule.behaviour === behaviour) this.#add(rule);
  }

  /** Sentences about the rules that cannot be used. */
  get problems(): string[] {
    const effect = this.#behaviour === "allow" ? "it allows nothing" : "it restricts nothing";
    return this.faults.map(({ rule: { text, behaviour, file }, problem }) => {
      const where = file === undefined ? "" : ` in ${file}`;
      return `The ${behaviour} rule ${text}${where} ${problem}; ${effect} until it is corrected.`;
    });
  }

  /** Returns a rule about a whole tool. */
  tool(name: string): Rule | null {
    const direct = this.#tools.get(name) ?? this.#alias(name);
    if (direct) return direct;
    const [, server] = /^mcp__((?:(?!__).)+)__/.exec(name) ?? [];
    const ofServer = server === undefined ? undefined : this.#tools.get(`mcp__${server}`);
    return ofServer ?? this.#globs.find(({ pattern }) => pattern.test(name))?.rule ?? null;
  }

  /** Returns a rule about a field of the input, or about the agent or skill that it names. */
  field(name: string, input: Readonly<Record<string, unknown>>): Rule | null {
    for (const [field, given] of Object.entries(input)) {
      if (!isScalar(given)) continue;
      const fits = ({ tool, value }: FieldRule) => sameTool(tool, name) && value.test(String(given));
      const found = this.#fields.get(field)?.find(fits);
      if (found) return found.rule;
    }
    const called =
      name === "Skill" ? (input["skill"] ?? input["name"] ?? input["command"]) : input["subagent_type"];
    if (typeof called !== "string") return null;
    const plain = this.#behaviour === "allow" ? called : plainName(called);
    return (
      this.#names.find(({ tool, name: pattern }) => sameTool(tool, name) && pattern.test(plain))?.rule ?? null
    );
  }

  #alias(name: string): Rule | undefined {
    if (this.#behaviour === "allow") return undefined;
    return name === "Agent"
      ? this.#tools.get("Task")
      : name === "Task"
        ? this.#tools.get("Agent")
        : undefined;
  }

  #add(rule: Rule): void {
    const parsed = parseRule(rule);
    switch (parsed.type) {
      case "broken":
        this.#complain(rule, parsed.problem);
        return;
      case "glob":
        this.#globs.push({ rule, pattern: parsed.pattern });
        for (const tool of [...READERS, ...EDITORS]) {
          if (parsed.pattern.test(tool)) this.paths.push({ rule, tool, patterns: null });
        }
        return;
      case "tool": {
        const problem = caseProblem(parsed.tool);
        if (problem) this.#complain(rule, problem);
        // `mcp__s__*` equals `mcp__s`, and the first rule of a name is reported.
        if (!this.#tools.has(parsed.tool)) this.#tools.set(parsed.tool, rule);
        if (READERS.has(parsed.tool) || EDITORS.has(parsed.tool)) {
          this.paths.push({ rule, tool: parsed.tool, patterns: null });
        }
        return;
      }
      case "spec":
        this.#addSpec(rule, parsed.tool, parsed.spec);
        return;
      default:
        parsed satisfies never;
    }
  }

  #addSpec(rule: Rule, tool: string, spec: string): void {
    const problem = caseProblem(tool);
    if (problem) {
      this.#complain(rule, problem);
      return;
    }
    const field = this.#behaviour === "allow" ? null : fieldOf(spec);
    const isField = field !== null && !OWN_FIELDS.has(field.name);
    if (isField)
      this.#fields.set(field.name, [
        ...(this.#fields.get(field.name) ?? []),
        { rule, tool, value: field.value },
      ]);
    if (tool === "Bash") {
      if (/^(?::\*|\s+\*|\s*)$/.test(spec)) this.#complain(rule, "has nothing before its wildcard");
      else this.commands.add(rule, spec, this.#behaviour);
    } else if (READERS.has(tool) || EDITORS.has(tool)) {
      if (field !== null && !isField)
        this.#complain(rule, `sets a condition on ${field.name}, which is written as a path`);
      else this.#addPath(rule, tool, spec);
    } else if (tool === "WebFetch" && /^\s*domain\s*:/.test(spec)) {
      const host = hostPattern(spec.replace(/^\s*domain\s*:/, ""));
      if (host) this.hosts.push({ rule, host });
      else this.#complain(rule, "names no host");
    } else if (tool === "Agent" || tool === "Task" || tool === "Skill") {
      const name = this.#behaviour === "allow" ? spec : plainName(spec.replace(/:\*$/, "*"));
      this.#names.push({ rule, tool, name: wildcard(name) });
    } else if (!isField) {
      this.#complain(rule, "has a condition that this tool does not know");
    }
  }

  #addPath(rule: Rule, tool: string, spec: string): void {
    const wide = this.#behaviour !== "allow";
    const { home, projects, configFolder, darwin } = this.#place;
    const found = compilePathPattern(spec.trim() === "" ? spec : wide ? spec.trim() : spec, {
      wide,
      withFolder: wide || READERS.has(tool),
      slash: rule.scope === "user" ? "config" : "project",
      foldCase: wide && darwin,
      folders: { root: ["/"], home: [home], config: [configFolder], project: projects },
    });
    if ("problem" in found) this.#complain(rule, found.problem);
    else this.paths.push({ rule, tool, patterns: found });
  }

  #complain(rule: Rule, problem: string): void {
    this.faults.push({ rule, problem });
  }
}

function fieldOf(spec: string): { readonly name: string; readonly value: RegExp } | null {
  const [, name, value] = /^\s*([A-Za-z_]\w*)\s*:\s*(.*?)\s*$/s.exec(spec) ?? [];
  return name === undefined || value === undefined ? null : { name, value: wildcard(value) };
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function sameTool(rule: string, tool: string): boolean {
  return rule === tool || (rule === "Task" && tool === "Agent") || (rule === "Agent" && tool === "Task");
}

/** Ignores the case and the separators of agents' names (A22.6). */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}
