import { join } from "node:path";
import { readRegularFile } from "../../lib/read-regular-file.ts";
import { type Keymap, ordinaryKeys, readKeymap } from "../../terminal/input/keymap.ts";

/** Reads the user's `~/.claude/keybindings.json`; each problem is a sentence that names it. */
export function readOwnKeys(homedir: string): {
  readonly keymap: Keymap;
  readonly problems: readonly string[];
} {
  const path = join(homedir, ".claude", "keybindings.json");
  const file = readRegularFile(path);
  switch (file.type) {
    case "absent":
      return { keymap: ordinaryKeys, problems: [] };
    case "unreadable":
      return { keymap: ordinaryKeys, problems: [`${path} ${file.problem}; the keys stay as they are.`] };
    case "read": {
      const { keymap, problems } = readKeymap(file.bytes.toString("utf8"));
      return { keymap, problems: problems.map((problem) => `${path}: ${problem}.`) };
    }
    default:
      return file satisfies never;
  }
}
