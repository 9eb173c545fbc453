import { Editor as BaseEditor, CURSOR_MARKER, type TUI } from "@earendil-works/pi-tui";
import type { Cursor } from "../canvas/canvas.ts";
import type { Paint } from "../colour.ts";
import { displayWidth } from "../display-width.ts";
import { wrapText } from "../wrap.ts";
import { type Completer, onlyCommand, providerOf } from "./completions.ts";
import { isKey, type Key } from "./keys.ts";

/** What a user types: several lines, with history, undo, folded pastes and a menu of completions. */
export interface Editor {
  /** As it is shown: a long paste is one mark. */
  readonly shown: string;
  /** With what was pasted. */
  readonly text: string;
  /** True if a menu takes Escape and the arrow keys. */
  readonly isMenuOpen: boolean;
  type(key: Key): void;
  set(text: string): void;
  rows(prompt: string, room: { readonly columns: number; readonly most: number }): EditorRows;
  /** Stops what completes; idempotent. */
  close(): void;
}

/** What has the keys in place of an editor while it is open. */
export interface Overlay extends Pick<Editor, "rows"> {
  readonly isOpen: boolean;
  take(key: Key): void;
}

/** An editor whose text and cursor can be set together. */
export interface TextEditor extends Editor {
  /** The number of characters of `shown` before the cursor. */
  readonly cursor: number;
  /** Shows this text, whose marks of folded pastes keep their content, and closes a menu. */
  place(shown: string, cursor: number): void;
}

export interface EditorRows {
  /** The text, and below it the menu. */
  readonly rows: readonly string[];
  readonly cursor: Cursor;
}

export interface EditorOptions {
  /** Newest first. Absent: none, and what is sent is not kept. */
  readonly history?: readonly string[];
  readonly completer?: Completer;
  readonly paint: Paint;
  /** `shown` is the text with its pastes folded. */
  onLine(text: string, shown: string): void;
  /** Something that was waited for has come: a menu. */
  onChange(): void;
}

/**
 * What the editor would change, or draw without a width: a tab, which becomes four spaces, and marks of writing
 * direction. In the editor a noncharacter stands for each, which no text contains.
 */
const HIDDEN = [..."\t\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"];
const STANDS_FROM = 0xfdd1;
/** The editor shows at most three tenths of the rows that the terminal has, and no fewer than five. */
const SHARE = 0.3;
const FEWEST = 5;
const MENU_ROWS = 8;
const END_OF_LINE = "\u0005";
const ESC = "\u001b";
const BEL = "\u0007";

/** Puts what is sent into the editor's own history: it keeps 100 entries. */
const HISTORY_SIZE = 100;

export function createEditor({ history, completer, paint, onLine, onChange }: EditorOptions): TextEditor {
  const terminal = { rows: 24 };
  let drawn: { readonly key: string; readonly result: EditorRows } | null = null;
  const changed = (): void => {
    drawn = null;
    onChange();
  };
  const theme = {
    borderColor: (text: string) => text,
    selectList: {
      selectedPrefix: (text: string) => paint("cyan", text),
      selectedText: (text: string) => paint("cyan", text),
      description: (text: string) => paint("dim", text),
      scrollInfo: (text: string) => paint("dim", text),
      noMatch: (text: string) => paint("dim", text),
    },
  };
  // All that the editor asks of its program: its height, and to be drawn again.
  const program = { terminal, requestRender: changed } as unknown as TUI;
  const editor = new MarkedEditor(program, theme, { autocompleteMaxVisible: MENU_ROWS });
  editor.focused = true;
  if (completer) editor.setAutocompleteProvider(providerOf(completer));
  for (const line of (history ?? []).slice(0, HISTORY_SIZE).toReversed()) editor.addToHistory(hide(line));
  let before = { text: "", shown: "" };
  editor.onSubmit = (sent) => {
    // The editor trims what is sent; a menu may have completed it.
    const { text, shown } =
      sent === hide(before.text).trim() ? before : { text: show(sent), shown: show(sent) };
    if (history && text.trim() !== "") editor.addToHistory(hide(text));
    onLine(text, shown);
  };

  return {
    get shown() {
      return show(editor.getText());
    },
    get text() {
      return show(editor.getExpandedText());
    },
    get isMenuOpen() {
      return editor.isShowingAutocomplete();
    },
    get cursor() {
      const { line, col } = editor.getCursor();
      const above = editor.getLines().slice(0, line);
      return above.reduce((sum, each) => sum + each.length + 1, col);
    },
    type(key) {
      drawn = null;
      const only = completer && isKey(key, "tab") ? onlyCommand(editor.getText(), completer) : null;
      if (only !== null) {
        editor.setText(`${only} `);
        return;
      }
      const earlier = isKey(key, "up") ? editor.getText() : null;
      if (isKey(key, "enter")) before = { text: this.text, shown: this.shown };
      if (key.type === "paste") editor.paste(hide(key.text));
      else editor.handleInput(typedAs(key.text));
      // An earlier prompt is continued at its end.
      if (earlier !== null && editor.getText() !== earlier) editor.handleInput(END_OF_LINE);
    },
    set(text) {
      drawn = null;
      editor.setText(hide(text));
    },
    place(shown, cursor) {
      drawn = null;
      editor.place(hide(shown), cursor);
    },
    rows(prompt, { columns, most }) {
      const key = `${columns} ${most} ${prompt}`;
      if (drawn?.key === key) return drawn.result;
      terminal.rows = Math.ceil(Math.max(FEWEST, most) / SHARE);
      const { above, lead } = splitPrompt(prompt, columns);
      const indent = displayWidth(lead);
      const lines = editor.render(Math.max(2, columns - indent + 1));
      const { rows, cursor } = rowsOf(lines, lead, indent, Math.max(1, most - above.length));
      const result = { rows: [...above, ...rows], cursor: { ...cursor, row: cursor.row + above.length } };
      drawn = { key, result };
      return result;
    },
    close() {
      editor.setAutocompleteProvider({
        getSuggestions: async () => null,
        applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
      });
      editor.setText("");
    },
  };
}

function hide(text: string): string {
  const known = text.replace(/[\ufdd1-\ufddd]/g, "");
  return known.replace(/[\t\p{Bidi_Control}]/gu, (one) =>
    String.fromCharCode(STANDS_FROM + HIDDEN.indexOf(one)),
  );
}

function show(text: string): string {
  return text.replace(/[\ufdd1-\ufddd]/g, (one) => HIDDEN[one.charCodeAt(0) - STANDS_FROM] ?? "");
}

/** A tab that is typed is the key that completes. */
function typedAs(text: string): string {
  return text === "\t" ? text : hide(text);
}

/** A prompt that would take most of the columns has rows of its own, before what is typed. */
function splitPrompt(prompt: string, columns: number): { readonly above: string[]; readonly lead: string } {
  const at = prompt.trimEnd().lastIndexOf(" ");
  if (at < 0 || displayWidth(prompt) <= columns / 2) return { above: [], lead: prompt };
  return { above: wrapText(prompt.slice(0, at), columns), lead: prompt.slice(at + 1) };
}

/** Takes the editor's borders and its drawn cursor away, and puts the prompt before its first row. */
function rowsOf(lines: readonly string[], prompt: string, indent: number, most: number): EditorRows {
  const end = lines.indexOf(BOTTOM);
  const typed = lines.slice(1, end);
  const menu = lines.slice(end + 1);
  const row = Math.max(
    0,
    typed.findIndex((line) => line.includes(CURSOR_MARKER)),
  );
  const [left = ""] = (typed[row] ?? "").split(CURSOR_MARKER);
  const lead = " ".repeat(indent);
  const rows = typed.map(
    (line, at) => `${at === 0 ? prompt : lead}${visible(line.replaceAll(MARKS, "")).trimEnd()}`,
  );
  const first = Math.max(0, Math.min(row - Math.floor(most / 2), rows.length - most));
  return {
    rows: [...rows.slice(first, first + most), ...menu.map((line) => `${lead}${line.trimEnd()}`)],
    cursor: { row: row - first, column: indent + displayWidth(visible(left)) },
  };
}

/** No text that is typed is this line. */
const BOTTOM = `${ESC}_troupe:bottom${BEL}`;

/** What the package has for itself: nothing public replaces a text and keeps its folded pastes, or adds to these. */
interface Inside {
  readonly pastes: Map<number, string>;
  pasteCounter: number;
  readonly state: { lines: string[]; cursorLine: number };
  lastAction: string | null;
  cancelAutocomplete(): void;
  exitHistoryBrowsing(): void;
  insertTextAtCursorInternal(text: string): void;
  pushUndoSnapshot(): void;
  setCursorCol(column: number): void;
}

class MarkedEditor extends BaseEditor {
  /** Folds a long paste, which has no control characters, itself: pi-tui needs 100 ms for 250 kB. */
  paste(text: string): void {
    const lines = text.split("\n").length;
    if (lines <= 10 && text.length <= 1000) {
      this.handleInput(`${ESC}[200~${text}${ESC}[201~`);
      return;
    }
    const inside = this as unknown as Inside;
    inside.cancelAutocomplete();
    inside.exitHistoryBrowsing();
    inside.lastAction = null;
    inside.pushUndoSnapshot();
    const id = ++inside.pasteCounter;
    inside.pastes.set(id, text);
    inside.insertTextAtCursorInternal(
      `[paste #${id} ${lines > 10 ? `+${lines} lines` : `${text.length} chars`}]`,
    );
  }

  place(text: string, cursor: number): void {
    const inside = this as unknown as Inside;
    inside.cancelAutocomplete();
    inside.lastAction = null;
    if (text !== this.getText()) {
      inside.exitHistoryBrowsing();
      inside.pushUndoSnapshot();
      inside.state.lines = text.split("\n");
    }
    const before = text.slice(0, cursor).split("\n");
    inside.state.cursorLine = before.length - 1;
    inside.setCursorCol(before.at(-1)?.length ?? 0);
  }

  protected override renderBottomBorder(): string {
    return BOTTOM;
  }
}

/** Zero-width marks around the cursor. */
const MARKS = new RegExp(`${ESC}_pi:[^${BEL}]*${BEL}`, "g");

/** A mark of writing direction must be seen to be edited. */
function visible(text: string): string {
  return text.replaceAll("\ufdd1", " ").replace(/[\ufdd2-\ufddd]/g, "·");
}
