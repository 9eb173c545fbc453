import type { PermissionRequest, UserAnswer } from "../../../policy/asks.ts";
import { diffCount, diffRows } from "../../../terminal/diff/rows.ts";
import type { CompareWords } from "../../../terminal/diff/words.ts";
import { visibleLine } from "../../../terminal/visible-text.ts";
import { wrapText } from "../../../terminal/wrap.ts";
import { formatDanger } from "../../danger-words.ts";
import {
  askersOf,
  choiceRows,
  field,
  isLong,
  isLongSubject,
  type Sheet,
  subjectRows,
  WORDS,
} from "./shown.ts";

/** What the user typed at a permission request. */
export type PermissionReply =
  | { readonly type: "answer"; readonly answer: UserAnswer }
  | { readonly type: "view" }
  /** Not one of the answers; the sentence lists them. */
  | { readonly type: "unclear"; readonly hint: string };

/**
 * Returns what the user needs to decide: the call, the model's description, the reason for the request; then the
 * answers.
 */
export function permissionRows(
  ask: PermissionRequest,
  sheet: Sheet,
  { whole = false, compare = () => null }: { readonly whole?: boolean; readonly compare?: CompareWords } = {},
): string[] {
  const { tool, title, description, diff } = ask;
  // The change says all that the input says.
  const details = diff === undefined || whole ? ask.details : [];
  const several = ask.askers.length > 1 ? ` (${ask.askers.length} agents ask for the same)` : "";
  return [
    ...subjectRows(tool, title, sheet, whole),
    ...(description === undefined || description === title
      ? []
      : field("model says", description, sheet, whole, WORDS)),
    ...field("why", ask.reason, sheet),
    ...field("danger", formatDanger(ask.level), sheet),
    ...field("from", askersOf(ask.askers), sheet),
    ...details
      .filter(({ name, value }) => value !== title && !(name === "description" && value === description))
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
    "",
    sheet.paint("yellow", `Allow this?${several}`),
    ...choiceRows("y", "yes, this once", sheet),
    ...sessionRows(ask.grants, sheet),
    ...choiceRows("n", "no; the agent gets what you write after it", sheet),
    ...choiceRows("d", "no, and not again in this session", sheet),
    ...(isCut(ask, sheet) && !whole ? choiceRows("v", "view all of it first", sheet) : []),
  ];
}

const DIFF_ROWS = 40;
const DIFF = { context: 3, wraps: true };

/** Shows the exact rules before the user grants any. */
function sessionRows(grants: readonly string[], sheet: Sheet): string[] {
  const [first, ...others] = grants.map(visibleLine);
  if (first === undefined) return [];
  if (others.length === 0) return choiceRows("s", `yes, for this session: ${first}`, sheet);
  return [
    ...choiceRows("s", "yes, for this session, all of these; s 1,3 for some of them:", sheet),
    ...[first, ...others].flatMap((rule, index) =>
      wrapText(`${index + 1}. ${rule}`, sheet.columns, "       "),
    ),
  ];
}

function isCut({ tool, title, details, diff, description = "" }: PermissionRequest, sheet: Sheet): boolean {
  if (diff !== undefined || isLongSubject(tool, title, sheet) || isLong(description, sheet, WORDS))
    return true;
  return details.some(({ name, value }) => name !== "description" && value !== title && isLong(value, sheet));
}

/** Accepts only the offered answers, exactly: other input decides nothing. */
export function permissionReply(
  line: string,
  { grants }: Pick<PermissionRequest, "grants">,
): PermissionReply {
  const typed = line.trim();
  const [, word = "", rest = ""] = /^([A-Za-z]+)[\s,:;.]*([\s\S]*)$/.exec(typed) ?? [];
  const message = rest.trim();
  switch (word.toLowerCase()) {
    case "y":
    case "yes":
      return message === "" ? answered({ type: "allow", span: "once" }) : unclear(grants);
    case "s":
      return forSession(message, grants);
    case "n":
    case "no":
      return answered({ type: "deny", span: "once", ...(message === "" ? {} : { message }) });
    case "d":
      return answered({ type: "deny", span: "session", ...(message === "" ? {} : { message }) });
    case "v":
      return message === "" ? { type: "view" } : unclear(grants);
    default:
      return unclear(grants);
  }
}

function forSession(which: string, grants: readonly string[]): PermissionReply {
  if (grants.length === 0) {
    return { type: "unclear", hint: "This can only be allowed once: type y, n or d, and Enter." };
  }
  if (which === "") return answered({ type: "allow", span: "session", grants });
  const numbers = which.split(/[\s,]+/).filter(Boolean);
  const chosen = numbers.flatMap((number) =>
    /^\d{1,3}$/.test(number) ? (grants[Number(number) - 1] ?? []) : [],
  );
  if (chosen.length === numbers.length) {
    return answered({ type: "allow", span: "session", grants: [...new Set(chosen)] });
  }
  const range = grants.length === 1 ? "it is only 1" : `they go from 1 to ${grants.length}`;
  return { type: "unclear", hint: `Not every one of these is a rule's number; ${range}.` };
}

function answered(answer: UserAnswer): PermissionReply {
  return { type: "answer", answer };
}

function unclear(grants: readonly string[]): PermissionReply {
  return { type: "unclear", hint: `Type y, ${grants.length > 0 ? "s, " : ""}n or d, and Enter.` };
}
