import * as z from "zod/mini";
import { parseJson } from "../../lib/json.ts";
import { nearName } from "../../lib/near-name.ts";
import { isKey, type Key } from "./keys.ts";

type KeyName = Parameters<typeof isKey>[1];

/** The user's own keys at the prompt. */
export interface Keymap {
  /** Returns the keys that the user's key stands for: none if it does nothing, or if another must follow it. */
  translate(key: Key): readonly Key[];
}

export const ordinaryKeys: Keymap = { translate: (key) => [key] };

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
/** The first of several keys is held back, so it may not be one that types. */
const TYPES = /^(?:shift\+)?(?:[!-~]|space)$/;
const KEY =
  /^(?:(?:ctrl|alt|shift)\+)*(?:[!-~]|escape|esc|enter|return|tab|space|backspace|delete|insert|home|end|pageup|pagedown|up|down|left|right|f(?:[1-9]|1[0-2]))$/;

const File = z.object({
  bindings: z.array(
    z.object({ context: z.string(), bindings: z.record(z.string(), z.nullable(z.string())) }),
  ),
});

export interface ReadKeymap {
  /** The ordinary keys if the file has another form. */
  readonly keymap: Keymap;
  readonly problems: readonly string[];
}

/** Keys one after the other, and what they do. */
interface Bound {
  readonly names: readonly KeyName[];
  readonly as: string | null;
}

/**
 * Reads the text of a `keybindings.json`: `{ "bindings": [{ "context": "Chat", "bindings": { "ctrl+e": "chat:externalEditor",
 * "ctrl+s": null } }] }`. What it cannot use is a sentence in `problems`, and the rest counts.
 */
export function readKeymap(text: string): ReadKeymap {
  const parsed = z.safeParse(File, parseJson(text));
  if (!parsed.success)
    return {
      keymap: ordinaryKeys,
      problems: [
        'it is not of the form { "bindings": [{ "context": "Chat", "bindings": { "ctrl+e": "chat:externalEditor" } }] }, so no key of it counts',
      ],
    };
  const problems: string[] = [];
  const bound: Bound[] = [];
  for (const { context, bindings } of parsed.data.bindings) {
    if (!CONTEXTS.includes(context)) {
      problems.push(`the context "${context}" is not used here; keys of ${CONTEXTS.join(" and ")} are`);
      continue;
    }
    for (const [key, action] of Object.entries(bindings)) {
      const names = namesIn(key);
      const why = whyNot(names, action);
      if (why !== null) problems.push(`"${key}" stays as it is: ${why}`);
      else bound.push({ names: names as KeyName[], as: action === null ? null : (ACTIONS[action] ?? null) });
    }
  }
  const hidden = bound.filter(({ names: [name, ...more] }) => {
    const longer = more.length === 0 && bound.find(({ names }) => names.length > 1 && names[0] === name);
    if (longer) problems.push(`"${name}" alone does nothing: "${longer.names.join(" ")}" begins with it`);
    return longer;
  });
  return { keymap: keymapOf(bound.filter((one) => !hidden.includes(one))), problems };
}

function namesIn(key: string): readonly string[] {
  return key
    .toLowerCase()
    .replace(/\b(?:meta|opt|option)\+/g, "alt+")
    .replace(/\bcontrol\+/g, "ctrl+")
    .split(" ")
    .filter((name, _, all) => name !== "" || all.length === 1);
}

function keymapOf(bound: readonly Bound[]): Keymap {
  /** The first of several keys, until it is known what follows. */
  let held: readonly Key[] = [];
  const alone = (key: Key): readonly Key[] => {
    const found = bound.findLast(
      ({ names }) => names.length === 1 && names.every((name) => isKey(key, name)),
    );
    if (found === undefined) return [key];
    return found.as === null ? [] : [{ type: "key", text: found.as }];
  };
  return {
    translate(key) {
      const keys = [...held, key];
      const found = bound.findLast(
        ({ names }) =>
          names.length > 1 && keys.every((one, at) => names[at] !== undefined && isKey(one, names[at])),
      );
      held = [];
      if (found === undefined && keys.length > 1 && isKey(key, "escape")) return [];
      if (found === undefined) return keys.flatMap(alone);
      if (found.names.length > keys.length) {
        held = keys;
        return [];
      }
      return found.as === null ? [] : [{ type: "key", text: found.as }];
    },
  };
}

function whyNot(names: readonly string[], action: string | null): string | null {
  const [first = ""] = names;
  if (names.some((name) => FIXED.includes(name))) return `${names.join(" ")} would take a way out`;
  if (!names.every((name) => KEY.test(name))) return "it names no key such as ctrl+e, alt+p or f5";
  if (names.length > 1 && (TYPES.test(first) || /^esc/.test(first)))
    return `keys one after the other begin with one such as ctrl+k, not with ${first}`;
  if (action === null || Object.hasOwn(ACTIONS, action)) return null;
  const near = nearName(action, Object.keys(ACTIONS));
  return `there is no action "${action}" here${near === null ? "" : `; did you mean ${near}?`}`;
}
