import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";

const Text = z.object({ type: z.literal("text"), text: z.string() });
const Prompt = z.object({
  type: z.literal("user"),
  message: z.object({ role: z.literal("user"), content: z.union([z.string(), z.array(Text)]) }),
});
const Control = z.object({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
const Answer = z.object({
  type: z.literal("control_response"),
  response: z.looseObject({ request_id: z.string(), subtype: z.string() }),
});
const AnyLine = z.discriminatedUnion("type", [Prompt, Control, Answer]);

/** What a program writes to `--input-format stream-json`. */
export type UserLine = ReturnType<typeof readUserLine>;

/** Longer lines are a mistake. */
const MOST_CHARACTERS = 10_000_000;

/** Reads one line of JSON. */
export function readUserLine(line: string) {
  if (line.length > MOST_CHARACTERS) return wrong("it has more than 10 million characters");
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch (error) {
    return wrong(`it is not JSON (${errorMessage(error)})`);
  }
  const parsed = AnyLine.safeParse(data);
  if (!parsed.success)
    return wrong(
      'it is not {"type":"user","message":{"role":"user","content":"…"}}, a control_request or a control_response',
    );
  switch (parsed.data.type) {
    case "user": {
      const { content } = parsed.data.message;
      const text = typeof content === "string" ? content : content.map((block) => block.text).join("\n");
      return text.trim() === "" ? wrong("its prompt is empty") : ({ type: "prompt", text } as const);
    }
    case "control_request":
      return { type: "control", id: parsed.data.request_id, request: parsed.data.request } as const;
    case "control_response":
      return { type: "answer", id: parsed.data.response.request_id, response: parsed.data.response } as const;
    default:
      return parsed.data satisfies never;
  }
}

/** Any other line; the sentence says why it is left out. */
function wrong(problem: string) {
  return { type: "wrong", problem: `A line on stdin was left out: ${problem}.` } as const;
}

/** Calls back with each line until the end of the stream; blank lines are left out. */
export function readUserLines(
  stdin: Readable,
  onLine: (line: UserLine) => void,
  onEnd: () => void,
): () => void {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    if (line.trim() !== "") onLine(readUserLine(line));
  });
  lines.on("close", onEnd);
  return () => {
    lines.close();
    stdin.destroy();
  };
}
