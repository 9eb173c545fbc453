import type { PermissionRequest, UserAnswer } from "../../../policy/asks.ts";
import type { Choices, OfferedAnswer } from "../../../terminal/dialogs/choice-form.ts";
import { diffCount, diffRows } from "../../../terminal/diff/rows.ts";
import type { CompareWords } from "../../../terminal/diff/words.ts";
import { visibleLine } from "../../../terminal/visible-text.ts";
import { formatDanger } from "../../danger-words.ts";
import { askersOf, field, isLong, isLongSubject, type Sheet, subjectRows, WORDS } from "./shown.ts";

/** What the user typed at a permission request. */
export type PermissionReply =
  | { readonly type: "answer"; readonly answer: UserAnswer }
  /** Allow it, and write these rules into the project's settings. */
  | { readonly type: "keep"; readonly rules: readonly string[] }
  | { readonly type: "view" }
  /** Not one of the answers; the sentence lists them. */
  | { readonly type: "unclear"; readonly hint: string };

/** Returns what the user needs to decide: the call, the model's description, the reason for the request. */
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
    ...(ask.grants.length > 1 ? field("rules", numbered(ask.grants), sheet) : []),
    "",
    sheet.paint("yellow", `Allow this?${several}`),
  ];
}

const DIFF_ROWS = 40;
const DIFF = { context: 3, wraps: true };

/** `keeps`: rules can be written into the project's settings. Only what may be allowed for longer than once is offered so. */
export function permissionChoices(
  ask: PermissionRequest,
  sheet: Sheet,
  { keeps = false, whole = false }: { readonly keeps?: boolean; readonly whole?: boolean } = {},
): Choices {
  const [rule, ...others] = ask.grants;
  const rules = others.length === 0 ? visibleLine(rule ?? "") : "all of these rules; s 1,3 for some of them";
  const answers: OfferedAnswer[] = [{ key: "y", words: "yes, this once" }];
  if (rule !== undefined) answers.push({ key: "s", words: `yes, for this session: ${rules}` });
  if (rule !== undefined && keeps)
    answers.push({ key: "p", words: "yes, always in this project: shows first what it writes" });
  answers.push({ key: "n", words: "no; the agent gets what you write after it" });
  answers.push({ key: "d", words: "no, and not again in this session" });
  if (isCut(ask, sheet) && !whole) answers.push({ key: "v", words: "view all of it first" });
  return { answers, escape: "n" };
}

function numbered(rules: readonly string[]): string {
  return rules.map((rule, index) => `${index + 1}. ${rule}`).join("\n");
}

function isCut({ tool, title, details, diff, description = "" }: PermissionRequest, sheet: Sheet): boolean {
  if (diff !== undefined || isLongSubject(tool, title, sheet) || isLong(description, sheet, WORDS))
    return true;
  return details.some(({ name, value }) => name !== "description" && value !== title && isLong(value, sheet));
}

/** What a request offers of rules. */
type Offered = Pick<PermissionRequest, "grants"> & { readonly keeps?: boolean };

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

function unclear({ grants, keeps = false }: Offered): PermissionReply {
  const longer = grants.length === 0 ? "" : keeps ? "s, p, " : "s, ";
  return { type: "unclear", hint: `Type y, ${longer}n or d, and Enter.` };
}
