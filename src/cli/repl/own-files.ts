import type { SettingsReader } from "../../policy/trust/trust.ts";
import type { Context } from "../command.ts";
import type { CliIO } from "../io.ts";

/** Where a conversation's settings and memory files are. */
export interface OwnFiles {
  readonly io: CliIO;
  /** The directory of the conversation. */
  readonly cwd: string;
  /** The directory whose settings apply. */
  readonly root: string;
  /** Includes what this run was given about the directory, such as that it is trusted. */
  readonly reader: Pick<SettingsReader, "read">;
  /** Runs another command of `troupe`. */
  readonly run?: Context["run"];
}
