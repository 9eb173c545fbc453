import { isDumb } from "../colour.ts";
import type { CliIO } from "../io.ts";
import { createPaintedTerminal, type PaintedOptions } from "./painted-terminal.ts";
import { createPlainTerminal } from "./plain-terminal.ts";
import type { Terminal } from "./terminal.ts";

/** Returns a painted terminal if the cursor can move, or else a plain one. */
export function chooseTerminal(io: CliIO, options: PaintedOptions): Terminal {
  return isDumb(io.env) ? createPlainTerminal(io, options) : createPaintedTerminal(io, options);
}
