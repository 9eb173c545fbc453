import {
  type Command,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from "unbash";
import { isTameArithmetic, piecesOf } from "./pieces.ts";
import {
  isSmallName,
  literalWord,
  type Piece,
  type ShellPart,
  type ShellRedirect,
  type ShellScript,
  type ShellWord,
  type Step,
  wordOf,
} from "./script.ts";
import { unwrap } from "./wrappers.ts";

type Assignment = Extract<SyntaxNode, { type: "Assignment" }>;

/** Longer commands are not analysed for an allow: no user reads them before they run either. */
const MAX_LENGTH = 10_000;
/** Control characters but newline and tab; a carriage return is no blank to bash, but looks like a line's end. */
const CONTROL = /[\p{Cc}--[\n\t]]/v;
/** Format characters, blanks other than space and newline, and letters that are drawn as nothing. */
const INVISIBLE =
  /[[\p{Cf}\p{Z}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{180B}-\u{180F}\u{2800}\u{3164}\u{FFA0}]--[ ]]/v;
/** What may leave the shell in another directory than before. */
const MOVERS: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "source", ".", "eval"]);
const INVALID = "it is not complete or not valid bash";
const EMPTY = { words: [], assignments: [], redirects: [], documents: [], counts: false };

/** Takes a command apart as bash would (§5.1, §5.2). Never throws: what cannot be parsed has a problem in the result. */
export function parseShell(source: string): ShellScript {
  const walker = new Walker(source);
  let problem = source.length > MAX_LENGTH ? `it is longer than ${MAX_LENGTH} characters` : null;
  if (CONTROL.test(source)) problem ??= "it contains a control character";
  if (INVISIBLE.test(source)) problem ??= "it contains an invisible character";
  try {
    walker.script(parse(source));
  } catch {
    problem ??= "it could not be parsed";
  }
  problem ??= walker.problem;
  // With one more line, another command.
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(source)) problem ??= "it ends in the middle of a line";
  return { problem, steps: walker.steps, parts: walker.parts, values: walker.values };
}

/**
 * Goes through a syntax tree in the order in which bash runs it and writes down every simple command.
 * What has no case of its own is walked child by child, so that nothing can be left out.
 */
class Walker {
  readonly steps: Step[] = [];
  readonly parts: ShellPart[] = [];
  problem: string | null = null;
  readonly values = new Map<string, (ShellWord | null)[]>();
  #source: string;
  #loopNames: ReadonlySet<string> = new Set();
  #before: readonly ShellPart[] | null = [];

  constructor(source: string) {
    this.#source = source;
  }

  /** `script.source` is set if the text is not that of the command: inside escaped backticks. */
  script(script: ParsedScript): void {
    if (script.errors?.[0]) this.problem ??= INVALID;
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
        this.#redirects(node.redirects);
        this.#visit(node.command);
        return;
      case "Subshell":
        this.#ownShell(() => this.#visit(node.body));
        return;
      case "If":
        this.#visit(node.clause);
        this.#branch(node.then);
        for (const { clause, then } of node.elif) this.#branch(clause, then);
        if (node.else) this.#branch(node.else);
        return;
      case "While":
        this.#loop(() => {
          this.#visit(node.clause);
          this.#branch(node.body);
        });
        return;
      case "For": {
        const { literal, value: name } = this.#word(node.name);
        const values = this.#data(node.wordlist ?? []);
        if (!literal || !isSmallName(name)) this.#part("construct", `for ${name}`);
        for (const value of node.wordlist === undefined ? [null] : values) this.#set(name, value);
        const outer = this.#loopNames;
        this.#loopNames = new Set([...outer, name]);
        this.#loop(() => this.#branch(node.body));
        this.#loopNames = outer;
        return;
      }
      case "Case":
        this.#data([node.word]);
        for (const item of node.items) {
          this.#data(item.pattern);
          this.#branch(item.body);
        }
        return;
      case "TestCommand":
        this.#part("test", this.#text(node), { words: this.#test(node.expression, []) });
        return;
      case "ArithmeticFor":
      case "ArithmeticCommand":
      case "Select":
      case "Coproc":
      case "Function": {
        const text = this.#text(node);
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
        this.#redirects([node]);
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

  #branch(...nodes: readonly SyntaxNode[]): void {
    this.steps.push({ type: "branch" });
    for (const node of nodes) this.#visit(node);
    this.steps.push({ type: "join" });
  }

  /** Returns the parts: what one of these leaves may be there before another of them runs. */
  #together(inside: () => void): readonly ShellPart[] {
    const [from, at] = [this.parts.length, this.steps.length];
    inside();
    const parts = this.parts.slice(from);
    if (parts.length > 0) this.steps.splice(at, 0, { type: "together", parts });
    return parts;
  }

  #loop(inside: () => void): void {
    const at = this.steps.length;
    // A first look, wide: any word of a command may turn out to be the one that moves.
    if (!this.#together(inside).some(({ words }) => words.some(({ value }) => MOVERS.has(value)))) return;
    this.steps.splice(at, 0, { type: "lost" });
    this.steps.push({ type: "lost" });
  }

  #pipeline(commands: readonly PipelineNode[]): void {
    const outer = this.#before;
    this.#together(() => {
      this.#before = [];
      for (const command of commands) {
        const before: readonly ShellPart[] | null = this.#before;
        this.#ownShell(() => this.#visit(command));
        const last = this.parts.at(-1);
        this.#before = command.type === "Command" && last && before ? [...before, last] : null;
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
      const text = word ? `${this.#source.slice(child.pos, value.pos)}${word.value}` : this.#text(child);
      return [{ name, simple: !append && index === undefined && word !== null, text, value: word }];
    });
    const words: ShellWord[] = node.name ? [this.#word(node.name)] : [];
    // The parser drops a parenthesis behind a command's name; bash reports an error.
    if (node.name && /^(?:[ \t]|\\\n)*\(/.test(this.#source.slice(node.name.end))) this.problem ??= INVALID;
    let end = node.name?.end;
    for (const child of node.args) {
      // `a<()b` is one word to bash.
      if (child.pos === end) this.problem ??= "two words in it touch each other";
      words.push(child.type === "Word" ? this.#word(child) : this.#assignmentWord(child));
      end = child.end;
    }
    if (/\P{ASCII}/u.test(unwrap(words)[0]?.value ?? ""))
      this.problem ??= "a command's name in it has letters that may only look like others";
    const { redirects, documents } = this.#readRedirects(node.redirects);
    this.#part("command", this.#text(node), { words, assignments, redirects, documents });
  }

  /** Null for an array. */
  #assigned({ index, value }: Assignment): ShellWord | null {
    if (index) this.#word(index);
    if (value.type !== "ArrayValue") return this.#word(value);
    for (const element of value.elements) this.#word(element);
    return null;
  }

  /** `A=1` after `export` and its like: a word of the command, whose value may contain anything. */
  #assignmentWord(node: Assignment): ShellWord {
    const raw = this.#text(node);
    const value = this.#assigned(node);
    const name = this.#source.slice(node.pos, node.value.pos);
    const pieces: readonly Piece[] =
      value === null || node.index
        ? [{ type: "forbidden", text: raw, unset: raw, harmless: false }]
        : [{ type: "text", text: name, quoted: false }, ...value.pieces];
    return wordOf(pieces, raw);
  }

  /** Writes each operator in front of its last operand. */
  #test(node: SyntaxNode, words: ShellWord[]): readonly ShellWord[] {
    if (node.type === "Word") words.push(this.#word(node));
    else forEachChild(node, (child) => void this.#test(child, words));
    if (node.type === "TestUnary" || node.type === "TestBinary")
      words.splice(-1, 0, literalWord(node.operator));
    return words;
  }

  #set(name: string, value: ShellWord | null): void {
    this.values.set(name, [...(this.values.get(name) ?? []), value]);
  }

  #part(kind: ShellPart["kind"], source: string, some: Partial<ShellPart> = {}): void {
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

  /** Those of a construct. */
  #redirects(nodes: readonly Redirection[]): void {
    this.steps.push({ type: "redirects", redirects: this.#readRedirects(nodes).redirects });
  }

  #readRedirects(nodes: readonly Redirection[]): { redirects: ShellRedirect[]; documents: string[] } {
    const redirects: ShellRedirect[] = [];
    const documents: string[] = [];
    for (const node of nodes) {
      if (node.descriptor?.type === "FileDescriptorVariable")
        redirects.push({ type: "unknown", text: this.#text(node) });
      if (node.type === "HereDoc") documents.push(this.#document(node));
      else if (node.target && node.type === "HereString")
        documents.push(...this.#data([node.target]).map(({ value }) => value));
      else if (node.target) redirects.push(...redirectOf(node.operator, this.#word(node.target)));
    }
    return { redirects, documents };
  }

  /** What expands in it is free, but what may run something is not. */
  #document({ closing, delimiter, body }: Extract<SyntaxNode, { type: "HereDoc" }>): string {
    if (!closing) this.problem ??= "a here-document in it has no end";
    if (!delimiter || /[$`]/.test(delimiter.text))
      this.problem ??= "the end of a here-document in it is unclear";
    const pieces = piecesOf(body.text, body.parts, true, this.#visit);
    this.steps.push({ type: "data", words: [wordOf(pieces, body.text)] });
    return body.text;
  }

  #word(node: Word): ShellWord {
    return wordOf(piecesOf(node.text, node.parts, false, this.#visit), node.text);
  }

  #text({ pos, end }: SyntaxNode): string {
    return this.#source.slice(pos, end);
  }
}

/** None if descriptors are joined among themselves: `2>&1`, `>&-`, `3>&1-`. */
function redirectOf(operator: string, target: ShellWord): readonly ShellRedirect[] {
  const descriptor = target.literal && /^(?:\d+-?|-)$/.test(target.value);
  if (descriptor && /^[<>]&$/.test(operator)) return [];
  if (operator === "<&") return [{ type: "unknown", text: target.raw }];
  return [{ type: operator === "<" ? "read" : operator === "<>" ? "both" : "write", target }];
}
