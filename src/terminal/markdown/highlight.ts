import { type StreamParser, StringStream } from "@codemirror/streamparser";
import { type LanguageName, languageOf, loadLanguage } from "./languages.ts";
import type { Format, StyledSpan } from "./spans.ts";

/** Longer lines are not code that a user reads. */
const LONGEST_LINE = 1000;
const MOST_TOKENS = 400;
const TAB = 4;

export type CodeLanguages = ReturnType<typeof createLanguages>;

/** The languages loaded so far. */
export function createLanguages() {
  const loading = new Map<LanguageName, Promise<void>>();
  const loaded = new Map<LanguageName, StreamParser<unknown> | null>();
  const fetch = (language: LanguageName): Promise<void> => {
    const before = loading.get(language);
    if (before !== undefined) return before;
    const load = loadLanguage(language)
      // Without it the code has no colours.
      .catch(() => null)
      .then((parser) => void loaded.set(language, parser));
    loading.set(language, load);
    return load;
  };
  return {
    /** Starts to load a language; Returns `soon` until it is there, and null if it is not known. */
    start(name: string): Highlighter | "soon" | null {
      const language = languageOf(name);
      if (language === null) return null;
      void fetch(language);
      const parser = loaded.get(language);
      if (parser === undefined) return "soon";
      return parser === null ? null : createHighlighter(parser);
    },
    /** Resolves when all the languages of the code in a text are there. Never rejects. */
    async load(text: string) {
      const names = [...text.matchAll(/^ *(?:```+|~~~+)[ \t]*([\w+#.-]{1,30})/gm)].map(
        ([, name]) => name ?? "",
      );
      await Promise.all(new Set(names.flatMap((name) => languageOf(name) ?? [])).values().map(fetch));
    },
  };
}

/** Text without colours. */
export function plainLine(text: string): StyledSpan[] {
  return text === "" ? [] : [{ text, formats: [] }];
}

export type Highlighter = ReturnType<typeof createHighlighter>;

/** Colours one text of code, line by line. */
function createHighlighter(parser: StreamParser<unknown>) {
  let state = parser.startState?.(TAB);
  const copy = (): unknown => {
    if (parser.copyState) return parser.copyState(state);
    return typeof state === "object" && state !== null ? { ...state } : state;
  };
  const safely = (text: string, from: unknown): StyledSpan[] => {
    try {
      return tokensOf(parser, text, from);
    } catch {
      return plainLine(text);
    }
  };
  return {
    line: (text: string): StyledSpan[] => safely(text, state),
    /** Colours a line that is still being written. */
    peek(text: string): StyledSpan[] {
      const kept = copy();
      const spans = safely(text, state);
      state = kept;
      return spans;
    },
  };
}

function tokensOf(parser: StreamParser<unknown>, text: string, state: unknown): StyledSpan[] {
  if (text.length > LONGEST_LINE) return plainLine(text);
  if (text === "") {
    parser.blankLine?.(state, TAB);
    return [];
  }
  const stream = new StringStream(text, TAB, TAB);
  const spans: StyledSpan[] = [];
  // A token may be empty, if it changes the state.
  for (let count = 0; !stream.eol() && count < MOST_TOKENS; count += 1) {
    stream.start = stream.pos;
    const style = parser.token(stream, state);
    const token = stream.current();
    if (token === "") continue;
    spans.push({ text: token, formats: formatsOf(style) });
  }
  return stream.eol() ? spans : [...spans, ...plainLine(text.slice(stream.pos))];
}

const FORMATS: Readonly<Record<string, readonly Format[]>> = {
  ...{
    keyword: ["magenta"],
    controlKeyword: ["magenta"],
    operatorKeyword: ["magenta"],
    modifier: ["magenta"],
  },
  ...{
    string: ["green"],
    character: ["green"],
    regexp: ["green"],
    inserted: ["green"],
    attributeValue: ["green"],
  },
  ...{ comment: ["dim"], lineComment: ["dim"], blockComment: ["dim"], meta: ["dim"], documentMeta: ["dim"] },
  ...{ number: ["yellow"], atom: ["yellow"], bool: ["yellow"], null: ["yellow"], unit: ["yellow"] },
  ...{ typeName: ["cyan"], className: ["cyan"], namespace: ["cyan"], standard: ["cyan"], builtin: ["cyan"] },
  ...{
    tagName: ["blue"],
    tag: ["blue"],
    heading: ["bold"],
    function: ["blue"],
    labelName: ["blue"],
    def: ["blue"],
  },
  ...{ attributeName: ["cyan"], propertyName: [], deleted: ["red"], invalid: ["red"], error: ["red"] },
};

/** A style is a name with its modifiers, such as "variableName.standard". */
function formatsOf(style: string | null | undefined): readonly Format[] {
  // Some languages return undefined.
  if (!style) return [];
  const [name = "", ...modifiers] = style.split(/[ .]/);
  if (modifiers.includes("definition") || modifiers.includes("function")) return ["blue"];
  if (modifiers.includes("standard")) return ["cyan"];
  return (Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined) ?? [];
}
