import { join } from "node:path";
import { readRegularFile } from "../../lib/files.ts";
import { watchSettings } from "../../settings/watch-settings.ts";
import { type Keymap, ordinaryKeys, type ReadKeymap, readKeymap } from "../../terminal/input/keymap.ts";
import type { CliIO } from "../process-io.ts";

/** The user's own keys, in `keybindings.json` in the directory of their settings. */
export function readOwnKeys(claudeDir: string) {
  const path = join(claudeDir, "keybindings.json");
  const known = read(path);
  const { problems, keymap: first } = keysIn(known, path);
  let keymap = first;
  return {
    /** As the file has them now, if it is followed. */
    keymap: { translate: (key) => keymap.translate(key) } satisfies Keymap,
    /** Sentences about the file as it was at the beginning. */
    problems,
    /** Reads the file again whenever it changes, until the signal is aborted; `tell` receives a sentence each. */
    follow(tell: (sentence: string) => void, clock: CliIO["clock"], signal: AbortSignal) {
      watchSettings({
        ...{ what: "keys", known, clock, signal, onProblem: tell },
        read: async () => read(path),
        onChange(now) {
          const fresh = keysIn(now, path);
          const isUsable = fresh.keymap !== ordinaryKeys || fresh.problems.length === 0;
          for (const problem of fresh.problems)
            tell(isUsable ? problem : `${problem} Until then the keys stay as they were.`);
          if (!isUsable) return;
          keymap = fresh.keymap;
          tell(`The keys of ${path} apply from now on.`);
        },
      });
    },
  };
}

/** The file as it is: no text if it is absent or cannot be read. */
interface KeysFile {
  readonly files: readonly [string];
  readonly text: string | null;
  readonly problem: string | null;
}

function read(path: string): KeysFile {
  const file = readRegularFile(path);
  const files = [path] as const;
  switch (file.type) {
    case "absent":
      return { files, text: null, problem: null };
    case "unreadable":
      return { files, text: null, problem: `${path} ${file.problem}; no key of it counts.` };
    case "read":
      return { files, text: file.bytes.toString("utf8"), problem: null };
    default:
      return file satisfies never;
  }
}

function keysIn({ text, problem }: KeysFile, path: string): ReadKeymap {
  if (text === null) return { keymap: ordinaryKeys, problems: problem === null ? [] : [problem] };
  const { keymap, problems } = readKeymap(text);
  return { keymap, problems: problems.map((one) => `${path}: ${one}.`) };
}
