import { type SettingsReader, settingsReader, type TrustedSettings } from "../policy/trust/trust.ts";
import { trustFolder } from "../policy/trust/trust-store.ts";
import { trustQuestion, untrustedNote } from "../policy/trust/words.ts";
import type { CliIO } from "./io.ts";
import { skillGrantsIn } from "./skills/session-skills.ts";

/** Asks the person whether the folder is trusted; false where they do not say yes. */
export type AskTrust = (question: string) => Promise<boolean>;

export interface SessionSettings {
  /** The folder that they are about. */
  readonly root: string;
  readonly read: TrustedSettings;
  /** Reads them again, as they are then. */
  readonly reader: SettingsReader;
  /** What the person must know of them. */
  readonly notes: readonly string[];
}

/** The settings of a session about `cwd`; asks whether the folder is trusted where somebody can be asked. */
export async function sessionSettings(
  io: CliIO,
  {
    cwd,
    home,
    trusts,
    askTrust,
  }: {
    readonly cwd: string;
    readonly home: string;
    readonly trusts: boolean;
    readonly askTrust?: AskTrust | undefined;
  },
): Promise<SessionSettings> {
  const { homedir, managedSettings } = io;
  const managed = managedSettings === undefined ? {} : { managed: managedSettings };
  const reader = settingsReader(
    { homedir, root: cwd, home, more: () => skillGrantsIn(io, { cwd, home }), ...managed },
    trusts,
  );
  let read = await reader.read();
  const notes: string[] = [];
  const question = trustQuestion(cwd, read.trust);
  if (read.trust.type === "untrusted" && question !== null && (await askTrust?.(question))) {
    const problem = await trustFolder(home, cwd, read.trust.grants, io.clock);
    if (problem !== null) notes.push(`The folder is trusted for this session only: ${problem}`);
    reader.trustForNow();
    read = await reader.read();
  }
  const left = untrustedNote(read.trust);
  return { root: cwd, read, reader, notes: [...read.warnings, ...notes, ...(left === null ? [] : [left])] };
}
