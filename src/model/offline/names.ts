import { formatCount } from "../../lib/figures.ts";
import type { OfflinePlan } from "./plan.ts";
import { describeProject } from "./project.ts";
import { search } from "./search.ts";
import { declarationOf, fileWeight, isComment, isDeclaration, isDocument, passages } from "./source.ts";
import { type FoundLine, findLines, type OfflineTools, quote } from "./tools.ts";

/** Where a name is declared, with its comment and body; or the lines that use it. */
export function* about(name: string, tools: OfflineTools, isUses = false): OfflinePlan {
  const whole = String.raw`(?:^|[^\w$])${RegExp.escape(name)}(?:[^\w$]|$)`;
  const declared = { pattern: declarationOf(RegExp.escape(name)), head_limit: 50 };
  const found = yield* findLines(tools, declared, { pattern: whole, head_limit: 500 });
  const isCode = ({ path, text }: FoundLine) => !isComment(text) && fileWeight(path) > 0.1;
  const [definitions = [], all = []] = found.map((lines) => lines.filter(isCode).sort(byWorth));
  const at = ({ path, line }: FoundLine) => `${path}:${line}`;
  const defined = new Set(definitions.map(at));
  const uses = all.filter((line) => !defined.has(at(line)));
  const files = new Set(uses.map(({ path }) => path)).size;
  const used = `named in ${formatCount(uses.length, "other line")} of ${formatCount(files, "file")}.`;
  const [first] = definitions;
  if (first === undefined && (!isUses || uses.length === 0)) return yield* search(name, tools);
  if (isUses || first === undefined) {
    const where = first ? `It is defined in ${at(first)}.` : "No line here defines it.";
    return { ok: true, text: `\`${name}\` is ${used} ${where}\n\n${quote(uses, 30)}`.trim() };
  }
  const alike = definitions.filter((one) => byWorth(one, first) === 0).slice(0, 3);
  const shown = quote((yield* passages(alike, 30, tools)).flat());
  return { ok: true, text: `\`${name}\` is defined in ${at(first)}.\n\n${shown}\n\nIt is ${used}` };
}

/** Sources first; in them what a keyword declares, before members of objects. */
function byWorth(a: FoundLine, b: FoundLine): number {
  const worth = ({ path, text }: FoundLine) => fileWeight(path) * 2 + Number(isDeclaration(text));
  return worth(b) - worth(a);
}

const USED =
  /[`"“]([^`"”]+)[`"”]|\b(?:calls?|uses?|imports?|references?|depends? on|of|is|are)\s+(?:the\s+)?(?:function\s+|class\s+|method\s+)?([\w$.@/-]*[\w$])\W*(?:$|used\b|called\b|imported\b|referenced\b)/i;

/** "Who calls NAME": a single name is looked up, anything else is searched for. */
export function usesOf(question: string, tools: OfflineTools): OfflinePlan {
  const [, quoted, plain] = USED.exec(question) ?? [];
  // A file is imported by its last name, from wherever the import is.
  const name = (quoted ?? plain)?.replace(/^.*\/([^/]+)\.\w+$/, "$1");
  return name === undefined ? search(question, tools) : about(name, tools, true);
}

/** "What is NAME": the project itself, a sentence that says it, or a declaration. */
export function* whatIs(question: string, tools: OfflineTools): OfflinePlan {
  const name = /([\w-]+)\W*$/.exec(question)?.[1] ?? "";
  const project = yield* describeProject(question, tools);
  const isProject = new RegExp(`"?name"?\\s*[:=]\\s*"${name}"|^#* *\\d* *#? *${name}\\b`, "im");
  if (isProject.test(project.text)) return project;
  const one = `${name.replace(/s$/, "")}s?`;
  const says = `\\b(?:an?|the|every|each) ${one} (?:is|are)\\b|^\\W*${one}\\b\\W*\\s(?:is|are)\\b|^[\\s/*#|-]*[*\`]+${one}[*\`]+ *[:(|–—-]`;
  const [said = []] = yield* findLines(tools, { pattern: says, "-i": true, head_limit: 100 });
  const isProse = ({ path, text }: FoundLine) =>
    fileWeight(path) > 0.45 && (isComment(text) || isDocument(path));
  const found = said.filter(isProse);
  if (found.length === 0) return yield* search(question, tools);
  const shown = yield* passages(found.slice(0, 3), 10, tools);
  return { ok: true, text: `This is what is said of it:\n\n${quote(shown.flat())}` };
}
