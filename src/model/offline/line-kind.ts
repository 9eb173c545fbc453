export type LineKind =
  /** `local`: a variable that is not at the margin, most often inside a function. */
  | { readonly type: "definition"; readonly name: string; readonly indent: number; readonly local: boolean }
  | { readonly type: "field"; readonly name: string; readonly indent: number }
  | { readonly type: "heading" }
  | { readonly type: "comment" }
  | { readonly type: "import" }
  | { readonly type: "other" };

const MODIFIERS =
  "(?:(?:export|default|declare|abstract|public|private|protected|internal|static|async|final|pub(?:\\([\\w:]+\\))?|unsafe|inline|virtual|" +
  "override|readonly|local|extern|constexpr|const|sealed|partial|open|data|suspend|mutable|lazy|implicit|@\\w+)\\s+)*";

const NAMED = new RegExp(
  `^${MODIFIERS}(?:function\\s*\\*?|class|interface|type|enum(?:\\s+class)?|namespace|module|struct|trait|impl(?:<[^>]*>)?|union|def|fn|func(?:\\s*\\([^)]*\\))?|fun|sub|proc|` +
    "procedure|macro|mod|record|object|protocol|const|let|var|val|static\\s+mut|static(?=\\s+[A-Z_]+\\s*:)|typedef|defmodule|defp?|defun|defmacro|define|" +
    "message|service|rpc|table|view|create\\s+(?:or\\s+replace\\s+)?(?:table|view|function|type|index)|package|contract|newtype|instance|" +
    "#\\s*define|macro_rules!)\\s+([A-Za-z_$][\\w$.?!-]*)",
  "i",
);

/** `int parse(char *s) {`, `parse(text) {`, `void Foo::bar()`: up to three words of a type, a name, arguments. */
const CALLABLE = new RegExp(
  `^${MODIFIERS}(?:[A-Za-z_][\\w:<>,.[\\]?]*[\\s*&]+){0,3}((?:[A-Za-z_]\\w*::)*[#~]?[A-Za-z_$][\\w$]*)\\s*(?:<[^>()]{0,60}>\\s*)?\\(`,
);

const FIELD =
  /^(?:(?:readonly|public|private|protected|static|pub|export)\s+)*["'#]?([A-Za-z_$][\w$.-]*)["']?\??\s*(?::=|[:=](?![=>]))/;

const NO_NAMES = new Set(
  "if for while switch catch return function await throw new typeof else do try case elif with using yield not and or in super assert print default unless until lambda match".split(
    " ",
  ),
);

/** What one line of source is, whatever the language. A guess from its form: nothing is parsed. */
export function lineKind(path: string, text: string): LineKind {
  const trimmed = text.trimStart();
  const indent = text.length - trimmed.length;
  const documents = /\.(?:md|mdx|markdown|rst|adoc|txt)$/i.test(path);
  if (documents) return /^(?:#{1,6}\s|=+\s)/.test(trimmed) ? { type: "heading" } : { type: "other" };
  if (isComment(trimmed)) return { type: "comment" };
  if (isImport(trimmed)) return { type: "import" };
  const named = NAMED.exec(trimmed)?.[1];
  if (named !== undefined && !NO_NAMES.has(named))
    return { type: "definition", name: named, indent, local: indent > 0 && isVariable(trimmed) };
  const callable = CALLABLE.exec(trimmed)?.[1];
  if (callable !== undefined && !NO_NAMES.has(callable) && looksCallable(trimmed, indent, path))
    return { type: "definition", name: callable, indent, local: false };
  const field = FIELD.exec(trimmed)?.[1];
  if (field !== undefined && !NO_NAMES.has(field)) return { type: "field", name: field, indent };
  return { type: "other" };
}

/** A call stands alone as often as a definition does: only a body, or a type before it at the margin, tells them apart. */
function looksCallable(trimmed: string, indent: number, path: string): boolean {
  if (/\{$|\{\s*\}$/.test(trimmed)) return !/=>|[=?]\s|^\w+\.|\(\s*\{$|\bfunction\b/.test(trimmed);
  const typed = indent === 0 && /\.(?:[ch](?:pp|c|xx)?|java|cs)$/.test(path) && !/[;}]$/.test(trimmed);
  return typed && /^[\w:*&<>]+[\s*&]+[\w:~]+/.test(trimmed);
}

export function isComment(trimmed: string): boolean {
  return /^(?:\/\/|\/\*|\*(?!\w)|#(?!\s*(?:define|include|if|ifdef|ifndef|endif|else|pragma|undef)\b|!|\[)|--(?!\w)|;|"""|'''|<!--|%%?\s|\(\*|\{-|@doc)/.test(
    trimmed,
  );
}

function isVariable(trimmed: string): boolean {
  return /^(?:const|let|var|val)\s/.test(trimmed) && !/=>|\bfunction\b/.test(trimmed);
}

function isImport(trimmed: string): boolean {
  return (
    /^(?:import\b|from\s+\S+\s+import\b|use\s|using\s|#\s*include|require\b|package\s|mod\s+\w+;|@import)/.test(
      trimmed,
    ) ||
    /^(?:export\s+(?:type\s+)?(?:\{|\*)|(?:const|let|var)\s.*=\s*require\()/.test(trimmed) ||
    /^\}?\s*from\s+["']/.test(trimmed) ||
    /^type \w+,$/.test(trimmed)
  );
}
