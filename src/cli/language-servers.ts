import type { LanguageServersOption } from "../features/languages/index.ts";
import { printable } from "../lib/printable.ts";
import type { FoundServers, LanguageServer } from "../lsp/find-servers.ts";
import type { Grant } from "../policy/trust/grants.ts";
import type { Settings } from "../settings/read-settings.ts";
import type { CliIO } from "./io.ts";

type Said = Pick<Settings, "languageServers" | "env">;

/** Returns what trusting a directory would let agents do with the language servers found there. */
export async function languageServerGrants(io: CliIO, cwd: string, said: Said): Promise<readonly Grant[]> {
  const { servers } = await found(io, cwd, said);
  return servers.map(({ language, name, origin, digest }) => ({
    words:
      origin === "project"
        ? `start ${printable(name)} of this directory, for ${printable(language)}`
        : `let ${printable(name)} (on your PATH) load code of this directory, for ${printable(language)}`,
    digest,
    group: "servers",
    languageServer: true,
  }));
}

/** The language servers of a session. `agreed`: the user has agreed to what this digest stands for. */
export async function languageServersHere(
  io: CliIO,
  cwd: string,
  said: Said,
  agreed: (digest: string) => boolean,
): Promise<{ readonly option: LanguageServersOption; readonly notes: readonly string[] }> {
  const { servers, unserved, problems } = await found(io, cwd, said);
  const mayStart = ({ digest }: LanguageServer) => agreed(digest);
  return {
    option: {
      servers: servers.filter(mayStart),
      unserved,
      untrusted: servers.filter((server) => !mayStart(server)).map(({ name }) => name),
    },
    notes: problems,
  };
}

async function found(io: CliIO, root: string, { languageServers, env }: Said): Promise<FoundServers> {
  const { findLanguageServers } = await import("../lsp/find-servers.ts");
  return findLanguageServers({ root, path: { ...io.env, ...env }["PATH"], setting: languageServers });
}
