import * as z from "zod/mini";
import type { CallEndEvent } from "../../events/call.ts";
import { FileDiff } from "../../lib/file-diff.ts";
import { valueAt } from "../../lib/json.ts";
import { resultText } from "../../mailbox/compacted.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";

const HEAD_LINES = 40;
const HEAD_CHARACTERS = 4_000;

type Output = Pick<CallEndEvent, "head" | "lines" | "characters" | "outputPath" | "exitCode" | "diff">;

/** What Bash writes below the output of a command that has ended by itself. */
const EXIT = /\n\[Exit code (\d+)\]$/;

/** Returns what the end of a call shows of its result. `tool`: if there is only its text, which was recorded. */
export function endOutput(
  { content, response }: Pick<ToolEnd, "content" | "response">,
  tool?: string,
): Output {
  const text = resultText(content);
  const exit = tool === "Bash" && response === undefined ? EXIT.exec(text) : null;
  if (exit !== null) {
    const printed = text.slice(0, exit.index);
    return { ...headOf(printed === "(no output)" ? "" : printed), exitCode: Number(exit[1]) };
  }
  const get = (name: string): unknown => valueAt(response, [name]);
  const stdout = get("stdout");
  const [exitCode, outputPath] = [get("exitCode"), get("persistedOutputPath")];
  const diff = z.safeParse(FileDiff, get("diff"));
  return {
    ...headOf(typeof stdout === "string" ? stdout : text),
    ...(typeof exitCode === "number" || exitCode === null ? { exitCode } : {}),
    ...(typeof outputPath === "string" ? { outputPath } : {}),
    ...(diff.success ? { diff: diff.data } : {}),
  };
}

/** Returns the first lines of a text, and its size. */
export function headOf(text: string): Pick<Output, "head" | "lines" | "characters"> {
  const whole = text.trimEnd();
  const lines = whole === "" ? [] : whole.split("\n");
  const head = lines.slice(0, HEAD_LINES).join("\n").slice(0, HEAD_CHARACTERS).toWellFormed();
  return { head, lines: lines.length, characters: whole.length };
}
