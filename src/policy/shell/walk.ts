import {
  type Command,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  type Redirection,
  type SyntaxNode,
  type TestExpression,
  type Word,
} from "unbash";
import { isTameArithmetic } from "./arithmetic.ts";
import { piecesOf } from "./pieces.ts";
import type { PartKind, ShellPart, ShellRedirect, ShellScript, Step } from "./script.ts";
import { isSmallName, literalWord, type ShellWord, wordOf } from "./words.ts";
import { unwrap } from "./wrappers.ts";

type Assignment = Extract<SyntaxNode, { type: "Assignment" }>;

/** What may leave the shell in another directory than before. */
const MOVERS: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "source", ".", "eval"]);
const EMPTY = { words: [], assignments: [], redirects: [], compared: [], documents: [], counts: false };
const COMPARISONS: ReadonlySet<string> = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/**
 * Goes through a syntax tree in the order in which bash runs it and writes down every simple command.
 * What has no case of its own is walked child by child, so that nothing can be left out.
 */
export class Walker {
  readonly steps: Step[] = [];
  readonly parts: ShellPart[] = [];
  problem: string | null = null;
  forbidden: ShellScript["forbidden"] = null;
  readonly values = new Map<string, (ShellWord | null)[]>();
  #source: string;
  #loopNames: ReadonlySet<string> = new Set();
  #before: readonly ShellPart[] | null = [];

  constructor(source: string) {
    this.#source = source;
  }

  /** `script.source` is set where the text is not that of the command: inside escaped backticks. */
  script(script: ParsedScript): void {
    const [error] = script.errors ?? [];
    if (error) this.problem ??= "it is not complete or not valid bash";
    const [outer, before] = [this.#source, this.#before];
    this.#source = script.source ?? outer;
    this.#before = [];
    for (const statement of script.commands) this.#visit(statement);
    this.#source = outer;
    this.#before = before;
  }

  readonly #visit = (node: SyntaxNode): void => {
    switch (node.type) {
      case "Script":
        this.#ownShell(() => this.script(node));
        return;
      case "Statement":
        if (node.background) this.#together(() => this.#ownShell(() => this.#visit(node.command)));
        else this.#visit(node.command);
        this.steps.push({ type: "settle" });
        return;
      case "AndOr":
        for (const [at, command] of node.commands.entries()) {
          if (node.operators[at - 1] === "||") this.steps.push({ type: "settle" });
          this.#visit(command);
        }
        return;
      case "Pipeline":
        if (node.commands.length > 1) this.#pipeline(node.commands);
        else forEachChild(node, this.#visit);
        return;
      case "Command":
        this.#command(node);
        return;
      case "Redirected":
        this.steps.push({ type: "redirects", redirects: this.#redirects(node.redirects).redirects });
        this.#visit(node.command);
        return;
      case "Subshell":
        this.#ownShell(() => this.#visit(node.body));
        return;
      case "If":
        this.#visit(node.clause);
        this.#branch([node.then]);
        for (const { clause, then } of node.elif) this.#branch([clause, then]);
        if (node.else) this.#branch([node.else]);
        return;
      case "While":
        this.#loop(() => {
          this.#visit(node.clause);
          this.#branch([node.body]);
        });
        return;
      case "For": {
        const name = this.#word(node.name);
        const values = this.#data(node.wordlist ?? []);
        if (!name.literal || !isSmallName(name.value)) this.#part("construct", `for ${name.value}`);
        for (const value of node.wordlist === undefined ? [null] : values) this.#set(name.value, value);
        const outer = this.#loopNames;
        this.#loopNames = new Set([...outer, name.value]);
        this.#loop(() => this.#branch([node.body]));
        this.#loopNames = outer;
        return;
      }
      case "Case":
        this.#data([node.word]);
        for (const item of node.items) {
          this.#data(item.pattern);
          this.#branch([item.body]);
        }
        return;
      case "TestCommand":
        this.#test(node.expression, this.#source.slice(node.pos, node.end));
        return;
      case "ArithmeticFor":
      case "ArithmeticCommand":
      case "Select":
      case "Coproc":
      case "Function": {
        const text = this.#source.slice(node.pos, node.end);
        const head = node.type === "ArithmeticFor" ? this.#source.slice(node.pos, node.body.pos) : text;
        const [, counted = "["] = /^(?:for\s*)?\(\((.*)\)\)[\s;]*(?:do|\{)?\s*$/s.exec(head) ?? [];
        // What the parser could not read as arithmetic is a command in two parentheses.
        const counts = node.type !== "ArithmeticCommand" || node.expression !== undefined;
        this.#part("construct", text, { counts: counts && isTameArithmetic(counted) });
        this.#loop(() => forEachChild(node, this.#visit));
        return;
      }
      case "Word":
        this.#word(node);
        return;
      case "Redirect":
      case "HereString":
      case "HereDoc":
        this.steps.push({ type: "redirects", redirects: this.#redirects([node]).redirects });
        return;
      default:
        forEachChild(node, this.#visit);
    }
  };

  #ownShell(inside: () => void): void {
    this.steps.push({ type: "enter" });
    inside();
    this.steps.push({ type: "leave" });
  }

  #branch(nodes: readonly SyntaxNode[]): void {
    this.steps.push({ type: "branch" });
    for (const node of nodes) this.#visit(node);
    this.steps.push({ type: "join" });
  }

  /** What one of these leaves may be there before another of them runs. */
  #together(inside: () => void): void {
    const [from, at] = [this.parts.length, this.steps.length];
    inside();
    if (this.parts.length > from)
      this.steps.splice(at, 0, { type: "together", parts: this.parts.slice(from) });
  }

  #loop(inside: () => void): void {
    const [from, at] = [this.parts.length, this.steps.length];
    this.#together(inside);
    // A first look, wide: any word of a command may turn out to be the one that moves.
    if (!this.parts.slice(from).some(({ words }) => words.some(({ value }) => MOVERS.has(value)))) return;
    this.steps.splice(at, 0, { type: "lost" });
    this.steps.push({ type: "lost" });
  }

  #pipeline(commands: readonly PipelineNode[]): void {
    const outer = this.#before;
    this.#together(() => {
      let before: readonly ShellPart[] | null = [];
      for (const command of commands) {
        this.#before = before;
        this.#ownShell(() => this.#visit(command));
        const last = this.parts.at(-1);
        before = command.type === "Command" && last && before ? [...before, last] : null;
      }
    });
    this.#before = outer;
  }

  #command(node: Command): void {
    const assignments = node.prefix.flatMap((child) => {
      if (child.type !== "Assignment") return [];
      const { name, index, append, value } = child;
      const word = this.#assigned(child);
      this.#set(name, append || index ? null : word);
      const text = this.#source.slice(child.pos, child.end);
      const plain = word === null ? text : `${this.#source.slice(child.pos, value.pos)}${word.value}`;
      return [{ name, simple: !append && index === undefined && word !== null, text: plain, value: word }];
    });
    const words: ShellWord[] = node.name ? [this.#word(node.name)] : [];
    // The parser drops a parenthesis behind a command's name, where bash reports an error.
    if (node.name && /^(?:[ \t]|\\\n)*\(/.test(this.#source.slice(node.name.end))) {
      this.problem ??= "it is not complete or not valid bash";
    }
    let end = node.name?.end;
    for (const child of node.args) {
      const word = child.type === "Word" ? this.#word(child) : this.#assignmentWord(child);
      const last = child.pos === end ? words.pop() : undefined;
      end = child.end;
      if (!last) {
        words.push(word);
        continue;
      }
      // `a<()b` is one word to bash.
      this.problem ??= "two words in it touch each other";
      words.push(wordOf([...last.pieces, ...word.pieces], last.raw + word.raw));
    }
    if (/\P{ASCII}/u.test(unwrap(words)[0]?.value ?? "")) {
      this.problem ??= "a command's name in it has letters that may only look like others";
    }
    const { redirects, documents } = this.#redirects(node.redirects);
    const source = this.#source.slice(node.pos, node.end);
    this.#part("command", source, { words, assignments, redirects, documents });
  }

  /** The value, and null for an array. */
  #assigned({ index, value }: Assignment): ShellWord | null {
    if (index) this.#word(index);
    if (value.type !== "ArrayValue") return this.#word(value);
    for (const element of value.elements) this.#word(element);
    return null;
  }

  /** `A=1` after `export` and its like: a word of the command, whose value may contain anything. */
  #assignmentWord(node: Assignment): ShellWord {
    const raw = this.#source.slice(node.pos, node.end);
    const value = this.#assigned(node);
    if (value === null || node.index)
      return wordOf([{ type: "forbidden", text: raw, unset: raw, harmless: false }], raw);
    const name = this.#source.slice(node.pos, node.value.pos);
    return wordOf([{ type: "text", text: name, quoted: false }, ...value.pieces], raw);
  }

  #test(expression: TestExpression, source: string): void {
    const words: ShellWord[] = [];
    const compared: ShellWord[] = [];
    const visit = (node: SyntaxNode): void => {
      if (node.type === "Word") words.push(this.#word(node));
      else forEachChild(node, visit);
      if (node.type !== "TestUnary" && node.type !== "TestBinary") return;
      if (COMPARISONS.has(node.operator)) compared.push(...words.slice(-2));
      words.splice(-1, 0, literalWord(node.operator));
    };
    visit(expression);
    this.#part("test", source, { words, compared });
  }

  #set(name: string, value: ShellWord | null): void {
    this.values.set(name, [...(this.values.get(name) ?? []), value]);
  }

  #part(kind: PartKind, source: string, some: Partial<ShellPart> = {}): void {
    const context = { loopNames: this.#loopNames, before: this.#before };
    const part: ShellPart = { ...EMPTY, ...some, kind, source, ...context };
    this.parts.push(part);
    this.steps.push({ type: "part", part });
  }

  #data(nodes: readonly Word[]): readonly ShellWord[] {
    const words = nodes.map((node) => this.#word(node));
    this.steps.push({ type: "data", words });
    return words;
  }

  #redirects(nodes: readonly Redirection[]): { redirects: ShellRedirect[]; documents: string[] } {
    const redirects: ShellRedirect[] = [];
    const documents: string[] = [];
    for (const node of nodes) {
      if (node.descriptor?.type === "FileDescriptorVariable") {
        redirects.push({ type: "unknown", text: this.#source.slice(node.pos, node.end) });
      }
      const target = node.type !== "HereDoc" && node.target ? this.#word(node.target) : null;
      if (node.type === "HereDoc") documents.push(this.#document(node));
      else if (target && node.type === "Redirect") redirects.push(...redirectOf(node.operator, target));
      else if (target) {
        this.#forbid(target.pieces);
        documents.push(target.value);
      }
    }
    return { redirects, documents };
  }

  #document(node: Extract<SyntaxNode, { type: "HereDoc" }>): string {
    if (!node.closing) this.problem ??= "a here-document in it has no end";
    const { delimiter, body } = node;
    if (!delimiter || /[$`]/.test(delimiter.text))
      this.problem ??= "the end of a here-document in it is unclear";
    this.#forbid(piecesOf(body.text, body.parts, true, this.#visit));
    return body.text;
  }

  /** Here-strings and here-documents are data: what expands in them is free, but what may run something is not. */
  #forbid(pieces: ShellWord["pieces"]): void {
    for (const piece of pieces) {
      if (piece.type !== "forbidden") continue;
      // The worst of them is the one that counts.
      if (this.forbidden === null || (this.forbidden.harmless && !piece.harmless)) this.forbidden = piece;
    }
  }

  #word(node: Word): ShellWord {
    return wordOf(piecesOf(node.text, node.parts, false, this.#visit), node.text);
  }
}

/** None where descriptors are joined among themselves: `2>&1`, `>&-`, `3>&1-`. */
function redirectOf(operator: string, target: ShellWord): readonly ShellRedirect[] {
  const descriptor = target.literal && /^(?:\d+-?|-)$/.test(target.value);
  if (descriptor && /^[<>]&$/.test(operator)) return [];
  if (operator === "<&") return [{ type: "unknown", text: target.raw }];
  return [{ type: operator === "<" ? "read" : operator === "<>" ? "both" : "write", target }];
}
