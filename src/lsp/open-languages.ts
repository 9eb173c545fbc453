import type { LanguageService } from "../tools/lsp/desk.ts";
import { type DeskPorts, languageDesk } from "./desk.ts";
import { type EditWatch, editWatch } from "./edit-watch.ts";
import { LanguageServers, type LanguageServersParts } from "./language-servers.ts";

/** The language servers of a session, with all that asks them; none is started yet. */
export function openLanguages({
  rootOf,
  sightOf,
  ...parts
}: LanguageServersParts & Omit<DeskPorts, "servers">): {
  readonly servers: LanguageServers;
  readonly desk: LanguageService;
  readonly watch: Omit<EditWatch, "willWrite">;
} {
  const servers = new LanguageServers(parts);
  return {
    servers,
    desk: languageDesk({ servers, rootOf, sightOf }),
    watch: editWatch(servers, parts.clock),
  };
}
