import { errorMessage } from "../../lib/errors.ts";
import type { CliIO } from "../process-io.ts";

/** One thing that was looked at: `wrong` does not work, `warning` works, but perhaps not as the user expects. */
export interface DoctorCheck {
  /** What it is about; several checks can have one name. */
  readonly name: string;
  readonly state: "ok" | "warning" | "wrong";
  /** What was found. */
  readonly text: string;
  /** What the user can do about it. */
  readonly todo?: string;
  /** More of it, a line each. */
  readonly lines?: readonly string[];
}

/** Milliseconds until the user sees what is waited for, and until it is given up. */
const SILENT_MS = 1_000;
const LIMIT_MS = 30_000;

/** Makes checks; each that fails or takes too long is a check that is wrong. `what` says what the user waits for. */
export async function tryCheck(
  { clock, stderr }: Pick<CliIO, "clock" | "stderr">,
  name: string,
  what: string,
  work: () => Promise<readonly DoctorCheck[]>,
): Promise<readonly DoctorCheck[]> {
  const silence = clock.after(SILENT_MS, () => void stderr.write(`${what} …\n`).catch(() => {}));
  const late: DoctorCheck = {
    ...{ name, state: "wrong", text: `no result within ${LIMIT_MS / 1_000} s` },
    todo: "Try again; if it stays so, look at what it waits for.",
  };
  let limit = (): void => {};
  try {
    const over = new Promise<readonly DoctorCheck[]>((resolve) => {
      limit = clock.after(LIMIT_MS, () => resolve([late]));
    });
    return await Promise.race([work(), over]);
  } catch (error) {
    return [{ name, state: "wrong", text: errorMessage(error) }];
  } finally {
    silence();
    limit();
  }
}

/** Returns the checks without these secrets, which a server or a file may repeat. */
export function withoutSecrets(
  checks: readonly DoctorCheck[],
  secrets: readonly string[],
): readonly DoctorCheck[] {
  const hide = (text: string) =>
    secrets.reduce((shown, secret) => (secret === "" ? shown : shown.replaceAll(secret, "[secret]")), text);
  return checks.map(({ text, todo, lines, ...check }) => ({
    ...{ ...check, text: hide(text) },
    ...(todo === undefined ? {} : { todo: hide(todo) }),
    ...(lines === undefined ? {} : { lines: lines.map(hide) }),
  }));
}
