import type { TextEditor } from "../editor.ts";
import { isKey, type Key } from "../keys.ts";
import { type Buffer, onCharacter, unitsOf } from "./motions.ts";
import { escapeVim, noted, type Pressed, pressVim, startVim, type VimState } from "./vim.ts";

const ESC = "\u001b";
const UP = `${ESC}[A`;
const DOWN = `${ESC}[B`;
const SEARCH = "\u0012";

/** Keys that mean a character of vim's. */
const MEANT = [
  ["left", "h"],
  ["right", "l"],
  ["up", "k"],
  ["down", "j"],
  ["home", "0"],
  ["end", "$"],
  ["delete", "x"],
  ["backspace", "h"],
  ["space", "l"],
  ["ctrl+r", SEARCH],
] as const;

export type VimKeys = ReturnType<typeof createVimKeys>;

/** Vim's keys, in front of an editor. */
export function createVimKeys(editor: Pick<TextEditor, "shown" | "cursor" | "place">, isOn: () => boolean) {
  let state: VimState | null = null;
  /** As vim's keys left it: another text was changed by something else. */
  let left: Buffer | null = null;
  /** An earlier prompt is shown, and j shows a later one. */
  let isEarlier = false;

  const now = (): Buffer => {
    const { shown, cursor } = editor;
    return { units: unitsOf(shown), at: unitsOf(shown.slice(0, cursor)).length };
  };
  const current = (): VimState | null => {
    if (!isOn()) state = null;
    else if (state === null) {
      const before = now();
      state = { ...startVim(), insertion: { before, from: before, command: null } };
    }
    return state;
  };
  const show = ({ state: next, buffer }: Pressed): void => {
    state = next;
    left = buffer;
    const text = buffer.units.join("");
    if (text !== editor.shown) isEarlier = false;
    editor.place(text, buffer.units.slice(0, buffer.at).join("").length);
  };
  /** Returns the key that leaves the text, or null if there is nowhere to go. */
  const leave = (step: "up" | "down"): Key | null => {
    const { shown } = editor;
    if (step === "down") {
      if (!isEarlier && shown !== "") return null;
      editor.place(shown, shown.length);
      return { type: "key", text: DOWN };
    }
    isEarlier = true;
    editor.place(shown, 0);
    return { type: "key", text: UP };
  };
  const pressNormal = (known: VimState, buffer: Buffer, key: string): Key | null => {
    const pressed = pressVim(known, onCharacter(buffer), key);
    show(pressed);
    return pressed.leaves === undefined ? null : leave(pressed.leaves);
  };

  return {
    /** Null if they are switched off. */
    get mode() {
      const known = current();
      if (known === null) return null;
      return known.insertion ? "INSERT" : "NORMAL";
    },
    /** Escape was pressed. Returns false if it means nothing here. */
    escape(): boolean {
      const known = current();
      const pressed = known && escapeVim(known, now());
      if (!pressed) return false;
      show(pressed);
      return true;
    },
    /** Returns the key that the editor gets; null if vim has taken it. */
    translate(key: Key): Key | null {
      const known = current();
      if (known === null) return key;
      if (known.insertion) return isKey(key, "ctrl+[") && this.escape() ? null : key;
      const buffer = now();
      const before = left === null ? known : noted(known, left, buffer.units);
      const [, meant] = MEANT.find(([name]) => isKey(key, name)) ?? [];
      const isCharacter = key.type === "key" && !/^\p{Cc}/u.test(key.text);
      if (known.keys.length === 0 && meant === undefined && key.text === "/" && isCharacter)
        return { type: "key", text: SEARCH };
      if (meant !== undefined || isCharacter) {
        // What is looked for or put in place is no motion.
        const isOperand = isKey(key, "space") && /[fFtTr]/.test(known.keys.at(-1) ?? "");
        return pressNormal(before, buffer, isOperand ? " " : (meant ?? key.text));
      }
      state = { ...before, keys: [] };
      left = buffer;
      return isKey(key, "tab") ? null : key;
    },
    /** The prompt was sent: the next one begins. */
    restart() {
      if (state !== null) state = startVim(state);
      left = null;
      isEarlier = false;
    },
  };
}
