import { nearName } from "../../lib/near-name.ts";
import { quoted, UsageError } from "../usage-error.ts";

/**
 * Parses the file's scope before the rest of a command: `--user TEXT`, or `--scope user TEXT` as on the command line.
 * Returns null without one.
 */
export function scopeIn<S extends string>(
  argument: string,
  scopes: readonly S[],
): { readonly scope: S | null; readonly rest: string } {
  const [whole, flag, named, alone] = /^--(?:(scope)(?:=|\s+)(\S*)|(\S*))\s*/.exec(argument) ?? [];
  if (whole === undefined) return { scope: null, rest: argument };
  const word = flag === undefined ? (alone ?? "") : (named ?? "");
  const scope = scopes.find((one) => one === word);
  if (scope !== undefined) return { scope, rest: argument.slice(whole.length) };
  const guess = nearName(word, scopes);
  const advice = guess
    ? `did you mean --${guess}?`
    : `say one of ${scopes.map((one) => `--${one}`).join(", ")}.`;
  throw new UsageError(`There is no ${quoted(whole.trim())} here; ${advice}`);
}
