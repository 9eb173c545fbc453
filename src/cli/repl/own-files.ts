import type { SettingsReader } from "../../policy/trust/trust.ts";
import type { CliIO } from "../io.ts";

/** Where the settings and the memory files of a conversation are. */
export interface OwnFiles {
  readonly io: CliIO;
  /** The folder of the conversation. */
  readonly cwd: string;
  /** The folder whose settings count. */
  readonly root: string;
  /** With what this run was told of the folder, such as that it is trusted. */
  readonly reader: Pick<SettingsReader, "read">;
}
