import type { PermissionLevel, PermissionRequest } from "../policy/user-requests.ts";
import { visibleLine } from "../terminal/visible-text.ts";

const WORDS: Readonly<Record<PermissionLevel, string>> = {
  read: "read: it changes nothing",
  write: "write: it changes files",
  execute: "execute: it runs programs",
  network: "network: it reaches other machines",
};

/** Returns the danger level of a tool as a user reads it. */
export function formatDanger(level: PermissionLevel): string {
  return WORDS[level];
}

/** Returns what a user needs to decide, in addition to the call itself. The functions make texts of the model safe to show. */
export function aboutPermission(
  { title, details, description, reason, level, askers }: PermissionRequest,
  showValue: (text: string) => string,
  showDescription = showValue,
): string {
  const shown = details.filter(({ value }) => value !== title && value !== description);
  return [
    ...(description === undefined || description === title
      ? []
      : [`The model says: ${showDescription(description)}`]),
    `Why this is asked: ${visibleLine(reason)}`,
    `Danger: ${formatDanger(level)}`,
    `From: ${askers.map(({ path }) => visibleLine(path.join(" > "))).join("; ")}`,
    ...shown.map(({ name, value }) => `${visibleLine(name)}: ${showValue(value)}`),
  ].join("\n");
}
