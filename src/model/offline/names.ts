import { formatCount } from "../../lib/figures.ts";
import { type OfflinePlan, type PlanResult, unsure } from "./plan.ts";
import { describeProject } from "./project.ts";
import { search } from "./search.ts";
import { declarationOf, fileWeight, isComment, isDeclaration, isDocument, passages } from "./source.ts";
import {
  type FoundLine,
  findPaths,
  grep,
  grepLines,
  look,
  type OfflineTools,
  quote,
  readSome,
} from "./tools.ts";

const MOST_SHOWN = 30;

/** Where a name is declared, with its comment and body; or the lines that use it. */
export function* about(
  name: string,
  wants: "definition" | "uses",
  tools: OfflineTools,
): OfflinePlan<PlanResult> {
  const whole = String.raw`(?:^|[^\w$])${RegExp.escape(name)}(?:[^\w$]|$)`;
  const found = yield* look(tools, [grep(declarationOf(RegExp.escape(name)), 50), grep(whole, 500)]);
  const [definitions = [], all = []] = found.map((text) => {
    const lines = grepLines(text, tools);
    return lines.filter(({ path, text: line }) => !isComment(line) && fileWeight(path) > 0.1).sort(byWorth);
  });
  const uses = all.filter(
    ({ path, line }) => !definitions.some((one) => one.path === path && one.line === line),
  );
  const [first] = definitions;
  const files = new Set(uses.map(({ path }) => path)).size;
  const used = `${formatCount(uses.length, "other line")} of ${formatCount(files, "file")}`;
  if (first === undefined && uses.length === 0) return unsure(`Nothing was found for ${name}.`);
  if (wants === "uses" || first === undefined) {
    const where = first ? `It is defined in ${first.path}:${first.line}.` : "No line here defines it.";
    const shown = `${quote(uses.slice(0, MOST_SHOWN))}${moreThan(uses)}`;
    return { ok: true, text: `\`${name}\` is named in ${used}. ${where}\n\n${shown}`.trim() };
  }
  const alike = definitions.filter((one) => byWorth(one, first) === 0).slice(0, 3);
  const shown = yield* passages(alike, 30, tools);
  const lead = `\`${name}\` is defined in ${first.path}:${first.line}.`;
  return { ok: true, text: [lead, quote(shown.flat()), `It is named in ${used}.`].join("\n\n") };
}

/** Sources first; in them what a keyword declares, before members of objects. */
function byWorth(a: FoundLine, b: FoundLine): number {
  const worth = ({ path, text }: FoundLine) => fileWeight(path) * 2 + Number(isDeclaration(text));
  return worth(b) - worth(a);
}

/** "Who calls NAME": a single name is looked up, anything else is searched for. */
export function usesOf(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [, quoted, plain] =
    /[`"“]([^`"”]+)[`"”]|\b(?:calls?|uses?|imports?|references?|depends? on|of|is|are)\s+(?:the\s+)?(?:function\s+|class\s+|method\s+)?([\w$.@/-]*[\w$])\W*(?:$|used\b|called\b|imported\b|referenced\b)/i.exec(
      question,
    ) ?? [];
  // A file is imported by its last name, from wherever the import is.
  const name = (quoted ?? plain)?.replace(/^.*\/([^/]+)\.\w+$/, "$1");
  return name === undefined ? search(question, tools) : about(name, "uses", tools);
}

/** "What is NAME": the project itself, a sentence that says it, or a declaration. */
export function* whatIs(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const name = /([\w-]+)\W*$/.exec(question)?.[1] ?? "";
  const project = yield* describeProject(question, tools);
  if (new RegExp(`"?name"?\\s*[:=]\\s*"${name}"|^#* *\\d* *#? *${name}\\b`, "im").test(project.text))
    return project;
  const one = `${name.replace(/s$/, "")}s?`;
  const says = `\\b(?:an?|the|every|each) ${one} (?:is|are)\\b|^\\W*${one}\\b\\W*\\s(?:is|are)\\b|^[\\s/*#|-]*[*\`]+${one}[*\`]+ *[:(|–—-]`;
  const [text = ""] = yield* look(tools, [grep(says, 100, { "-i": true })]);
  const found = grepLines(text, tools).filter(
    (line) => fileWeight(line.path) > 0.45 && (isComment(line.text) || isDocument(line.path)),
  );
  if (found.length === 0) return yield* search(question, tools);
  const shown = yield* passages(found.slice(0, 3), 10, tools);
  return { ok: true, text: `This is what is said of it:\n\n${quote(shown.flat())}` };
}

/** What a file declares, with its own first comment; a short one is shown whole, of a directory the files. */
export function* explainFile(given: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const path = given.replace(/\/$/, "");
  const [lines = []] = yield* readSome(tools, [{ path }]);
  if (lines.length === 0) {
    const found = yield* findPaths(tools, `${path}/**`, `**/${path}`, `**/${path}.*`, `**/${path}/**`);
    const [first, ...others] = (found.find((paths) => paths.length > 0) ?? []).toSorted();
    if (first === undefined) return unsure(`There is no ${given} that can be read here.`);
    if (others.length === 0)
      return first === path ? unsure(`${path} is empty.`) : yield* explainFile(first, tools);
    const shown = [first, ...others.slice(0, MOST_SHOWN - 1)].join("\n    ");
    return {
      ok: true,
      text: `${formatCount(others.length + 1, "file")}:\n\n    ${shown}${moreThan(others)}`,
    };
  }
  const size = `${path} has ${formatCount(lines.length, "line")}`;
  if (lines.length <= MOST_SHOWN) return { ok: true, text: `${size}:\n\n${quote(lines)}` };
  const isOutline = ({ text }: FoundLine, at: number) => {
    if (isDocument(path)) return /^#{1,3} /.test(text);
    return (
      (at < 8 && isComment(text)) ||
      (isDeclaration(text) && !/\brequire\(|^\s{5}|^\s+(?:const|let|var|val|type)\b/.test(text))
    );
  };
  const outline = lines.filter(isOutline);
  const all = outline.length > 0 ? outline : lines;
  const shown = quote(all.slice(0, MOST_SHOWN));
  return { ok: true, text: `${size}. This is what it declares:\n\n${shown}${moreThan(all)}` };
}

function moreThan({ length }: readonly unknown[]): string {
  return length > MOST_SHOWN ? `\n\n(${length - MOST_SHOWN} more)` : "";
}
