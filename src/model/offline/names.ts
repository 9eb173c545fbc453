import type { OfflinePlan, PlanResult } from "./plan.ts";
import { search } from "./search.ts";
import { declarationOf, escapePattern, fileWeight, isComment, isDeclaration, passages } from "./source.ts";
import {
  countNoun,
  type FoundLine,
  glob,
  globPaths,
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
  const whole = String.raw`(?:^|[^\w$])${escapePattern(name)}(?:[^\w$]|$)`;
  const found = yield* look(tools, [grep(declarationOf(escapePattern(name)), 50), grep(whole, 500)]);
  const [definitions = [], all = []] = found.map((text) => {
    const lines = grepLines(text, tools).filter(
      (line) => !isComment(line.text) && fileWeight(line.path) > 0.1,
    );
    return lines.sort((a, b) => fileWeight(b.path) - fileWeight(a.path));
  });
  const uses = all.filter(
    ({ path, line }) => !definitions.some((one) => one.path === path && one.line === line),
  );
  const [first] = definitions;
  const used = `${countNoun(uses.length, "other line")} of ${countNoun(new Set(uses.map(({ path }) => path)).size, "file")}`;
  if (first === undefined && uses.length === 0) return { ok: false, text: `Nothing was found for ${name}.` };
  if (wants === "uses" || first === undefined) {
    const where = first ? `It is defined in ${first.path}:${first.line}.` : "No line here defines it.";
    const more = uses.length > MOST_SHOWN ? `\n\n(${countNoun(uses.length - MOST_SHOWN, "more line")})` : "";
    return {
      ok: true,
      text: `\`${name}\` is named in ${used}. ${where}\n\n${quote(uses.slice(0, MOST_SHOWN))}${more}`.trim(),
    };
  }
  const alike = definitions.filter(({ path }) => fileWeight(path) === fileWeight(first.path)).slice(0, 3);
  const shown = yield* passages(alike, 30, tools);
  const said = sentenceAbout(shown[0] ?? [], first.line);
  const lead = `\`${name}\` is defined in ${first.path}:${first.line}${said === "" ? "." : `; its comment says: “${said}”`}`;
  return { ok: true, text: [lead, quote(shown.flat()), `It is named in ${used}.`].join("\n\n") };
}

/** The first sentence of the comment above a line, or of the documentation below it. */
function sentenceAbout(passage: readonly FoundLine[], line: number): string {
  const above = passage.filter((one) => one.line < line && isComment(one.text));
  const below = passage.filter((one) => one.line > line && one.line < line + 4);
  const documentation = below.slice(
    Math.max(
      0,
      below.findIndex(({ text }) => /^\s*(?:"""|''')/.test(text)),
    ),
  );
  const comment =
    above.length > 0 ? above : /^\s*(?:"""|''')/.test(documentation[0]?.text ?? "") ? documentation : [];
  const text = comment.map((one) =>
    one.text.replace(/^\s*(?:\/\*+|\*+\/?|\/\/+!?|#+|--|"""|''')\s?|\s*(?:\*\/|"""|''')\s*$/g, "").trim(),
  );
  return /^.*?(?:[.!?](?=\s|$)|$)/.exec(text.join(" ").trim())?.[0] ?? "";
}

/** "Who calls NAME": a single name is looked up, anything else is searched for. */
export function usesOf(question: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  const [, quoted, plain] =
    /[`"“]([^`"”]+)[`"”]|\b(?:calls?|uses?|imports?|references?|depends? on|of|is|are)\s+(?:the\s+)?(?:function\s+|class\s+|method\s+)?([\w$.@/-]*[\w$])\W*(?:$|used\b|called\b|imported\b|referenced\b)/i.exec(
      question,
    ) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? search(question, tools) : about(name, "uses", tools);
}

/** What a file declares, with its own first comment; a short one is shown whole. */
export function* explainFile(given: string, tools: OfflineTools): OfflinePlan<PlanResult> {
  let path = given;
  let [lines = []] = yield* readSome(tools, [{ path }]);
  if (lines.length === 0) {
    const found = yield* look(tools, [
      ...[`**/${given.replace(/\/$/, "")}*`, `${given.replace(/\/$/, "")}/**`].map(glob),
    ]);
    const [first, ...others] = globPaths(found.join("\n"), tools);
    if (first === undefined) return { ok: false, text: `There is no file ${given} that can be read here.` };
    if (others.length > 0)
      return { ok: true, text: `Several files fit: ${[first, ...others].slice(0, MOST_SHOWN).join(", ")}` };
    path = first;
    [lines = []] = yield* readSome(tools, [{ path }]);
  }
  if (lines.length <= MOST_SHOWN)
    return {
      ok: lines.length > 0,
      text: `${path} has ${countNoun(lines.length, "line")}:\n\n${quote(lines)}`,
    };
  const comment = lines.slice(
    0,
    lines
      .slice(0, 25)
      .findIndex((line, at) => isComment(line.text) && !isComment(lines[at + 1]?.text ?? "")) + 1,
  );
  const head = comment.filter((line) => isComment(line.text)).slice(0, 8);
  const isOutline = ({ text: one }: FoundLine) =>
    /\.(?:md|mdx|rst|adoc)$/.test(path)
      ? /^#{1,3} /.test(one)
      : isDeclaration(one) &&
        !/\brequire\(/.test(one) &&
        !/^\s{5}|^\s+(?:const|let|var|val|type)\b/.test(one);
  const outline = lines.filter((line) => isOutline(line) && !head.includes(line));
  const shown = [...head, ...(outline.length > 0 ? outline : lines)].slice(0, MOST_SHOWN);
  const left = head.length + outline.length - shown.length;
  const more = left > 0 ? `\n\n(${left} more)` : "";
  return {
    ok: true,
    text: `${path} has ${countNoun(lines.length, "line")}. This is what it declares:\n\n${quote(shown)}${more}`,
  };
}
