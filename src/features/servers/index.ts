import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { LazyServers } from "./lazy-servers.ts";

/**
 * MCP servers of the session and its agents. Joints: `prepareSpawn` (starts those of a definition), `prepareStart`
 * (again for a resumed agent; notices about servers), `onEvent` (releases them).
 */
export function serversFeature(servers: LazyServers, actors: Pick<Actors, "notify">): Joints {
  return {
    prepareSpawn({ id, definition, signal }) {
      servers.named.tell([definition]);
      const started = servers.hold(id, definition);
      if (started === null) return null;
      return started.then(() => {
        signal?.throwIfAborted();
        return { servers: servers.of(id) };
      });
    },
    prepareStart(actor) {
      const tell = () => {
        const notice = servers.firstNews(actor);
        if (notice !== null) actors.notify(actor.id, notice);
        return null;
      };
      const started = servers.holdAgain(actor);
      if (started === null) return tell();
      return { tool: "MCP", title: "its servers are starting", ready: started.then(tell) };
    },
    onEvent(event) {
      if (event.type === "released") servers.release(event.id);
    },
  };
}
