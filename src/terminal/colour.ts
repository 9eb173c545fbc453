import { styleText } from "node:util";
import type { Outlet } from "./output-stream.ts";

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Colours on a terminal, unless NO_COLOR is set or it is a dumb one; FORCE_COLOR decides either way. */
export function paintFor(outlet: Outlet, env: Readonly<Record<string, string | undefined>>): Paint {
  return hasColour(outlet, env) ? inColour : plain;
}

export const plain: Paint = (_, text) => text;

export const inColour: Paint = (style, text) => styleText(style, text, { validateStream: false });

function hasColour(outlet: Outlet, env: Readonly<Record<string, string | undefined>>): boolean {
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return outlet.isTTY && !env["NO_COLOR"] && !isDumb(env);
}

/** True if lines are only printed, never repainted: the terminal can do no more, or its user (or screen reader) wants it. */
export function isPlain(env: Readonly<Record<string, string | undefined>>): boolean {
  return isDumb(env) || !["", "0", "false"].includes(env["TROUPE_PLAIN"] ?? "");
}

function isDumb(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["TERM"] === "dumb";
}
