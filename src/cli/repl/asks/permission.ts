import type { PermissionRequest, UserAnswer } from "../../../policy/user-requests.ts";
import type { Choices, OfferedAnswer } from "../../../terminal/dialogs/choice-form.ts";
import { type CompareWords, diffCount, diffRows } from "../../../terminal/diff.ts";
import { visibleLine } from "../../../terminal/safe-text.ts";
import { DANGER } from "../../permissions/format.ts";
import { askersOf, field, isLong, isLongSubject, type Sheet, subjectRows, WORDS } from "./shown.ts";

/** What the user typed at a permission request. */
export type PermissionReply =
  | { readonly type: "answer"; readonly answer: UserAnswer }
  /** Allow it, and write these rules into the project's settings. */
  | { readonly type: "keep"; readonly rules: readonly string[] }
  /** Allow it, and from now on all edits that nothing forbids. */
  | { readonly type: "edits" }
  | { readonly type: "view" }
  /** Not one of the answers; the sentence lists them. */
  | { readonly type: "unclear"; readonly hint: string };

/** Returns what the user needs to decide: the call, the model's description, the reason for the request. */
export function permissionRows(
  ask: PermissionRequest,
  sheet: Sheet,
  {
    whole = false,
    compare = () => null,
    cwd,
  }: { readonly whole?: boolean; readonly compare?: CompareWords; readonly cwd?: string | undefined } = {},
): string[] {
  const { tool, description, diff } = ask;
  const isEdit = EDITS.has(tool) && isInside(ask.title, cwd);
  const [title, reason] = [ask.title, ask.reason].map((text) =>
    isEdit ? text.replaceAll(`${cwd}/`, "") : text,
  ) as [string, string];
  // The change says all that the input says.
  const details = diff === undefined || whole ? ask.details : [];
  const several = ask.askers.length > 1 ? ` (${ask.askers.length} agents ask for the same)` : "";
  return [
    ...subjectRows(tool, title, sheet, whole),
    ...(description === undefined || description === title
      ? []
      : field("model says", description, sheet, whole, WORDS)),
    ...field("why", reason, sheet),
    ...field("danger", DANGER[ask.level], sheet),
    ...field("from", askersOf(ask.askers), sheet),
    ...details
      // What a server's tool is given means nothing without its name.
      .filter(({ value }) => tool.startsWith("mcp__") || value !== ask.title)
      .filter(({ name, value }) => !(name === "description" && value === description))
      .flatMap(({ name, value }) => field(name, value, sheet, whole)),
    ...(diff === undefined
      ? []
      : [
          ...field("change", `${diffCount(diff)}${diff.isNew ? ", a new file" : ""}`, sheet),
          ...diffRows(diff, {
            ...sheet,
            compare,
            most: whole ? Number.POSITIVE_INFINITY : DIFF_ROWS,
            ...DIFF,
          }),
        ]),
    ...(ask.grants.length > 1 ? field("rules", numbered(ask.grants), sheet) : []),
    "",
    sheet.paint("yellow", `Allow this?${several}`),
  ];
}

const EDITS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

/** As it is written: a path that climbs out of the directory is not in it. */
function isInside(path: string, dir: string | undefined): boolean {
  return dir !== undefined && path.startsWith(`${dir}/`) && !path.split("/").includes("..");
}

/** True if the mode acceptEdits would have spared this request. */
export function isPlainEdit({ tool, title, level }: PermissionRequest, cwd: string | undefined): boolean {
  return EDITS.has(tool) && level === "write" && isInside(title, cwd);
}

const DIFF_ROWS = 40;
const DIFF = { context: 3, wraps: true };

/** `keeps`: rules can be written into the project's settings. Only what may be allowed for longer than once is offered so. */
export function permissionChoices(
  ask: PermissionRequest,
  sheet: Sheet,
  {
    keeps = false,
    whole = false,
    edits = false,
  }: { readonly keeps?: boolean; readonly whole?: boolean; readonly edits?: boolean } = {},
): Choices {
  const [rule, ...others] = ask.grants;
  const rules = others.length === 0 ? visibleLine(rule ?? "") : "all of these rules; s 1,3 for some of them";
  const answers: OfferedAnswer[] = [{ key: "y", words: "yes, this once" }];
  if (edits) answers.push({ key: "a", words: "yes, and edit files without asking from now on (Shift-Tab)" });
  if (rule !== undefined) answers.push({ key: "s", words: `yes, for this session: ${rules}` });
  if (rule !== undefined && keeps)
    answers.push({ key: "p", words: "yes, always in this project: shows first what it writes" });
  answers.push({ key: "n", words: "no; say what to do instead after it: n use the other file" });
  answers.push({ key: "d", words: "no, and not again in this session" });
  if (isCut(ask, sheet) && !whole) answers.push({ key: "v", words: "view all of it first" });
  return { answers, escape: "n", ...(edits ? { shiftTab: "a" } : {}) };
}

function numbered(rules: readonly string[]): string {
  return rules.map((rule, index) => `${index + 1}. ${rule}`).join("\n");
}

function isCut({ tool, title, details, diff, description = "" }: PermissionRequest, sheet: Sheet): boolean {
  if (isLongSubject(tool, title, sheet) || isLong(description, sheet, WORDS)) return true;
  if (diff !== undefined) return isCutDiff(diff, sheet);
  return details.some(({ name, value }) => name !== "description" && value !== title && isLong(value, sheet));
}

function isCutDiff(diff: NonNullable<PermissionRequest["diff"]>, sheet: Sheet): boolean {
  const all = { ...sheet, ...DIFF, compare: () => null, most: DIFF_ROWS + 1 };
  return diff.omitted > 0 || diff.isBinary || diffRows(diff, all).length > DIFF_ROWS;
}

/** What a request offers that lasts. */
type Offered = Pick<PermissionRequest, "grants"> & { readonly keeps?: boolean; readonly edits?: boolean };

/** Accepts only the offered answers, exactly: other input decides nothing. */
export function permissionReply(line: string, offered: Offered): PermissionReply {
  const typed = line.trim();
  const [, word = "", rest = ""] = /^([A-Za-z]+)[\s,:;.]*([\s\S]*)$/.exec(typed) ?? [];
  const message = rest.trim();
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return message === "" ? answered({ type: "allow", span: "once" }) : unclear(offered);
    case "s":
      return chosenRules(message, offered, (grants) => answered({ type: "allow", span: "session", grants }));
    case "a":
      return offered.edits && message === "" ? { type: "edits" } : unclear(offered);
    case "p":
      if (!offered.keeps) return unclear(offered);
      return chosenRules(message, offered, (rules) => ({ type: "keep", rules }));
    case "n":
    case "no":
      return answered({ type: "deny", span: "once", ...(message === "" ? {} : { message }) });
    case "d":
      return answered({ type: "deny", span: "session", ...(message === "" ? {} : { message }) });
    case "v":
      return message === "" ? { type: "view" } : unclear(offered);
    default:
      return unclear(offered);
  }
}

function chosenRules(
  which: string,
  { grants }: Offered,
  use: (rules: readonly string[]) => PermissionReply,
): PermissionReply {
  if (grants.length === 0) {
    return { type: "unclear", hint: "This can only be allowed once: type y, n or d, and Enter." };
  }
  if (which === "") return use(grants);
  const numbers = which.split(/[\s,]+/).filter(Boolean);
  const chosen = numbers.flatMap((number) =>
    /^\d{1,3}$/.test(number) ? (grants[Number(number) - 1] ?? []) : [],
  );
  if (chosen.length === numbers.length) return use([...new Set(chosen)]);
  const range = grants.length === 1 ? "it is only 1" : `they go from 1 to ${grants.length}`;
  return { type: "unclear", hint: `Not every one of these is a rule's number; ${range}.` };
}

function answered(answer: UserAnswer): PermissionReply {
  return { type: "answer", answer };
}

function unclear({ grants, keeps = false, edits = false }: Offered): PermissionReply {
  const longer = grants.length === 0 ? "" : keeps ? "s, p, " : "s, ";
  return { type: "unclear", hint: `Type y, ${edits ? "a, " : ""}${longer}n or d, and Enter.` };
}
