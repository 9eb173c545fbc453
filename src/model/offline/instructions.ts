/** One thing to do, in the order in which it was asked for; `question`: a question, or what was not understood. */
export interface Instruction {
  readonly type: "replace" | "append" | "create" | "run" | "call" | "background" | "question";
  /** By name: `file`, `text`, `from`, `to`, `all`, `command`, `tool`, `json`, `task`. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Longer prompts are pasted text: nothing in them is carried out. */
const LONGEST_PROMPT = 20_000;

/** A quotation is masked, so that nothing in it can be a step; `e`: an empty one. */
const QUOTED = String.raw`\uE000e?\d+\uE000`;
const FILE = String.raw`(?:the\s+file\s+)?(?<file>${QUOTED}|[^\s\uE000,;]*[^\s\uE000,;.!])`;
const REPLACE = String.raw`(?:replace|change)\s+(?<all>(?:all|every|each)\s+)?(?<from>${QUOTED})\s+(?:with|by|to)\s+(?<to>${QUOTED})`;
const FORMS = (
  [
    ["replace", String.raw`in\s+${FILE},?\s+${REPLACE}`],
    ["replace", String.raw`${REPLACE}\s+in\s+${FILE}`],
    [
      "append",
      String.raw`(?:append|add)\s+(?:(?:the\s+)?line\s+)?(?<text>${QUOTED})\s+to\s+(?:the\s+end\s+of\s+)?${FILE}`,
    ],
    ["create", String.raw`(?:create|make)\s+${FILE}\s+(?:with|containing)\s+(?<text>${QUOTED})`],
    ["run", String.raw`(?:run|execute)\s+(?<command>(?!\uE000e)${QUOTED})`],
    ["call", String.raw`call\s+(?<tool>[\w-]+)\s*(?<json>\{.*\})`],
    ["background", String.raw`in\s+(?:the\s+)?background:\s*(?<task>\S.*)`],
  ] as const
).map(([type, form]) => ({ type, form: new RegExp(`^${form}`, "i") }));
/** Between steps. */
const SEPARATOR =
  /^(?:[\s,;.!]|[-*•]\s|\(?\d+[.)]\s|(?:and|then|after that|afterwards|finally|next|first|now|please)\b)+/i;
const QUESTION = /^.+?(?=[,.]?\s+(?:and\s+)?then\b|[;\n]|$)/i;

/** Returns the instructions in a prompt, or undefined for an ordinary prompt. */
export function instructionsIn(prompt: string): Instruction[] | undefined {
  if (prompt.length > LONGEST_PROMPT) return undefined;
  const quotes: string[] = [];
  let rest = prompt.replace(
    /"(?:\\.|[^"\\])*"|`[^`]*`|“[^”]*”|(?<!\w)'(?:\\.|[^'\\]|'(?=\w))*'/gs,
    (quotation) => `\uE000${/^.\s*.$/.test(quotation) ? "e" : ""}${quotes.push(quotation) - 1}\uE000`,
  );
  const restore = (part: string, read = (quotation: string) => quotation) =>
    part.replace(/\uE000e?(\d+)\uE000/g, (_, at: string) => read(quotes[Number(at)] ?? ""));
  const steps: Instruction[] = [];
  for (rest = rest.replace(SEPARATOR, ""); rest !== ""; rest = rest.replace(SEPARATOR, "")) {
    const found = FORMS.find(({ form }) => form.test(rest));
    const type = found?.type ?? "question";
    const match = (found?.form ?? QUESTION).exec(rest);
    const groups = match?.groups ?? { text: match?.[0] ?? rest };
    const reader = (name: string) => (type === "question" ? undefined : READS[name]);
    const parts = Object.entries(groups).map(([name, part = ""]) => [name, restore(part, reader(name))]);
    steps.push({ type, parts: Object.fromEntries(parts) });
    rest = rest.slice(match?.[0].length ?? rest.length);
  }
  return steps.some(({ type }) => type !== "question") ? steps : undefined;
}

/** How a quotation is read; one that has no reader here stays as it is. */
const READS: Readonly<Record<string, (quotation: string) => string>> = {
  ...{ file: quotedText, text: quotedText, from: quotedText, to: quotedText },
  /** A command keeps its backslashes, except before the quote that closes it. */
  command(quotation) {
    const close = quotation.slice(-1);
    return quotation.slice(1, -1).replaceAll(`\\${close}`, close);
  },
};

/** `\n`, `\t` and quoted quotes mean what they mean in code; backticks quote as it is. */
function quotedText(quotation: string): string {
  if (quotation.startsWith("`")) return quotation.slice(1, -1);
  const signs: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", '"': '"', "'": "'" };
  return quotation.slice(1, -1).replace(/\\(.)/gs, (whole, sign: string) => signs[sign] ?? whole);
}
