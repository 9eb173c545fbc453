import { USUAL_AGENT } from "./script-call.ts";

/** A call of `agent` in a script's text, as far as it can be read without running it. */
export interface CallInSource {
  readonly type: string;
  readonly model?: string;
}

const CALL = /\bagent\s*\(/g;
/** A text in quotes, or a parenthesis. */
const PIECE = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|[()]/g;
/** What comes before the text of an option. */
const OPTION = /\b(agentType|model)["']?\s*:\s*$/;
const OPTION_CHARS = 40;

/** Returns the calls; if a type or model is not plain text, the usual one. */
export function parseCalls(source: string): readonly CallInSource[] {
  return [...source.matchAll(CALL)].map(({ index, 0: start }) => callAt(source, index + start.length));
}

/** Reads the arguments of a call up to its closing parenthesis. */
function callAt(source: string, from: number): CallInSource {
  const found = new Map<string, string>();
  let depth = 1;
  PIECE.lastIndex = from;
  for (let piece = PIECE.exec(source); piece !== null && depth > 0; piece = PIECE.exec(source)) {
    const { 0: text, index } = piece;
    if (text === "(") depth += 1;
    else if (text === ")") depth -= 1;
    else if (depth === 1 && !text.includes("${")) {
      const [, option] = OPTION.exec(source.slice(Math.max(from, index - OPTION_CHARS), index)) ?? [];
      if (option !== undefined) found.set(option, text.slice(1, -1));
    }
  }
  const model = found.get("model");
  return { type: found.get("agentType") ?? USUAL_AGENT, ...(model === undefined ? {} : { model }) };
}
