import * as z from "zod/mini";
import type { CallEndEvent } from "../../events/call.ts";
import { resultText } from "../../mailbox/compacted.ts";
import { FileDiff } from "../../mailbox/file-diff.ts";
import type { ToolEnd } from "../../tools/bind-tool.ts";

const HEAD_LINES = 40;
const HEAD_CHARACTERS = 4_000;

type Output = Pick<CallEndEvent, "head" | "lines" | "characters" | "outputPath" | "exitCode" | "diff">;

/** Returns what the end of a call shows of its result. */
export function endOutput({ content, response }: Pick<ToolEnd, "content" | "response">): Output {
  const of = typeof response === "object" && response !== null ? response : {};
  const get = (name: string): unknown => Reflect.get(of, name);
  const stdout = get("stdout");
  const [exitCode, outputPath] = [get("exitCode"), get("persistedOutputPath")];
  const diff = z.safeParse(FileDiff, get("diff"));
  return {
    ...headOf(typeof stdout === "string" ? stdout : resultText(content)),
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
