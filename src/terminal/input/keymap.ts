import * as z from "zod/mini";
import { parseJson } from "../../lib/json.ts";
import { nearName } from "../../lib/near-name.ts";
import { isKey, type Key } from "./keys.ts";

type KeyName = Parameters<typeof isKey>[1];

/** The user's own keys at the prompt. */
export interface Keymap {
  /** Returns the key that the user's key stands for; null if it does nothing. */
  translate(key: Key): Key | null;
}

export const ordinaryKeys: Keymap = { translate: (key) => key };

const ESC = "\u001b";

/** What can be put on other keys, by the names that users know, and the key that does it here. */
const ACTIONS: Readonly<Record<string, string>> = {
  "app:redraw": "\u000c",
  "app:toggleTodos": "\u0014",
  "app:toggleTranscript": "\u000f",
  "chat:cancel": ESC,
  "chat:cycleMode": `${ESC}[Z`,
  "chat:externalEditor": "\u0007",
  "chat:newline": "\n",
  "chat:stash": "\u0013",
  "chat:submit": "\r",
  "chat:undo": "\u001f",
  "history:next": `${ESC}[B`,
  "history:previous": `${ESC}[A`,
  "history:search": "\u0012",
  "task:background": "\u0002",
};

/** Where they are pressed: the prompt is all that there is. */
const CONTEXTS = ["Chat", "Global"];
/** The ways out stay where they are. */
const FIXED = ["ctrl+c", "ctrl+d"];
const KEY =
  /^(?:(?:ctrl|alt|shift)\+)*(?:[!-~]|escape|esc|enter|return|tab|space|backspace|delete|insert|home|end|pageup|pagedown|up|down|left|right|f(?:[1-9]|1[0-2]))$/;

const File = z.object({
  bindings: z.array(
    z.object({ context: z.string(), bindings: z.record(z.string(), z.nullable(z.string())) }),
  ),
});

/**
 * Reads the text of a `keybindings.json`: `{ "bindings": [{ "context": "Chat", "bindings": { "ctrl+e": "chat:externalEditor",
 * "ctrl+s": null } }] }`. What it cannot use is a sentence in `problems`, and the rest counts.
 */
export function readKeymap(text: string): { readonly keymap: Keymap; readonly problems: readonly string[] } {
  const parsed = z.safeParse(File, parseJson(text));
  if (!parsed.success)
    return {
      keymap: ordinaryKeys,
      problems: [
        'it is not of the form { "bindings": [{ "context": "Chat", "bindings": { "ctrl+e": "chat:externalEditor" } }] }, so no key of it counts',
      ],
    };
  const problems: string[] = [];
  const bound: { readonly name: KeyName; readonly as: string | null }[] = [];
  for (const { context, bindings } of parsed.data.bindings) {
    if (!CONTEXTS.includes(context)) {
      problems.push(`the context "${context}" is not used here; keys of ${CONTEXTS.join(" and ")} are`);
      continue;
    }
    for (const [key, action] of Object.entries(bindings)) {
      const name = key
        .toLowerCase()
        .replace(/\b(?:meta|opt|option)\+/g, "alt+")
        .replace(/\bcontrol\+/g, "ctrl+");
      const why = whyNot(name, action);
      if (why !== null) problems.push(`"${key}" stays as it is: ${why}`);
      else bound.push({ name: name as KeyName, as: action === null ? null : (ACTIONS[action] ?? null) });
    }
  }
  return { keymap: keymapOf(bound), problems };
}

function keymapOf(bound: readonly { readonly name: KeyName; readonly as: string | null }[]): Keymap {
  return {
    translate(key) {
      const found = bound.findLast(({ name }) => isKey(key, name));
      if (found === undefined) return key;
      return found.as === null ? null : { type: "key", text: found.as };
    },
  };
}

function whyNot(name: string, action: string | null): string | null {
  if (FIXED.includes(name)) return "it is a way out";
  if (name.trim().includes(" ")) return "keys one after the other are not supported";
  if (!KEY.test(name)) return "it names no key such as ctrl+e, alt+p or f5";
  if (action === null || Object.hasOwn(ACTIONS, action)) return null;
  const near = nearName(action, Object.keys(ACTIONS));
  return `there is no action "${action}" here${near === null ? "" : `; did you mean ${near}?`}`;
}
