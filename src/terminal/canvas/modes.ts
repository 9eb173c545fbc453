import type { Readable } from "node:stream";
import type { Outlet } from "../output-stream.ts";
import type { KeyProtocol } from "./key-protocol.ts";

/** A terminal whose keys are read. */
export interface KeyedTerminal {
  readonly stdin: Readable & { setRawMode?(raw: boolean): unknown };
  readonly stdout: Outlet;
  /** Calls back when the process ends, on whatever path. Returns what withdraws it. */
  onExit(listener: () => void): () => void;
}

/** Pasted text comes between markers. All modes that are switched on are here, each with what switches it off. */
const MODES = [{ on: "\u001b[?2004h", off: "\u001b[?2004l" }] as const;

/**
 * Delivers each key as it is typed, including Ctrl-C, and pasted text between markers. Returns a function that undoes
 * this; an exit of the process undoes it too. Only SIGKILL leaves the modes on.
 */
export function takeKeys({ stdin, stdout, onExit }: KeyedTerminal, protocol?: KeyProtocol): () => void {
  let taken = true;
  const restore = (): void => {
    if (!taken) return;
    taken = false;
    withdraw();
    stdout.write(MODES.map(({ off }) => off).join("") + (protocol?.release() ?? "")).catch(() => {});
    try {
      stdin.setRawMode?.(false);
    } catch {
      // A closed terminal has no modes.
    }
  };
  const withdraw = onExit(restore);
  stdin.setRawMode?.(true);
  stdout.write(MODES.map(({ on }) => on).join("")).catch(() => {});
  protocol?.take();
  return restore;
}
