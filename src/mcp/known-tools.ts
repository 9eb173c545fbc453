import type { ChangedTool, McpTool } from "./mcp.ts";
import { mcpToolName } from "./names.ts";
import type { ToolSaid } from "./protocol.ts";

export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

interface Known {
  /** As the person knows it. */
  accepted: McpTool;
  /** As the server says now, where that is something else. */
  pending: McpTool | null;
  /** Whether the server still offers it. */
  offered: boolean;
}

/**
 * The tools of one server, and what of them has changed since the session first saw them: a description is read as an
 * instruction, so that what has changed is refused until somebody accepts it. Also a tool that went and came back, and
 * a server that was started again (threat: a tool is changed after approval).
 */
export class KnownTools {
  readonly #slug: string;
  readonly #known = new Map<string, Known>();

  constructor(slug: string) {
    this.#slug = slug;
  }

  /** What the server offers now; names as in `mcp__server__tool`. `changed`: those that were not known to be so. */
  take(said: readonly ToolSaid[]): ToolChanges {
    const now = new Map(said.map((tool) => [mcpToolName(this.#slug, tool.tool), tool]));
    const removed = [...this.#known].filter(([name, { offered }]) => offered && !now.has(name));
    for (const [, known] of removed) known.offered = false;
    const added: string[] = [];
    const changed: string[] = [];
    for (const [name, tool] of now) {
      const offer: McpTool = { ...tool, name, slug: this.#slug };
      const known = this.#known.get(name);
      if (known === undefined) this.#known.set(name, { accepted: offer, pending: null, offered: true });
      if (known === undefined || !known.offered) added.push(name);
      if (known === undefined) continue;
      const isNew = known.pending?.digest !== offer.digest;
      known.offered = true;
      known.pending = known.accepted.digest === offer.digest ? null : offer;
      if (known.pending !== null && isNew) changed.push(name);
    }
    return { added, removed: removed.map(([name]) => name), changed };
  }

  /** By name; the definition that was accepted. */
  offered(): readonly McpTool[] {
    return [...this.#known.values()]
      .filter(({ offered }) => offered)
      .map(({ accepted }) => accepted)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  changed(): readonly string[] {
    return this.changes().map(({ accepted }) => accepted.name);
  }

  changes(): readonly ChangedTool[] {
    return [...this.#known.values()].flatMap(({ offered, accepted, pending }) =>
      offered && pending !== null ? [{ accepted, now: pending }] : [],
    );
  }

  find(
    name: string,
  ): { readonly tool: McpTool; readonly isChanged: boolean; readonly isOffered: boolean } | null {
    const known = this.#known.get(name);
    if (known === undefined) return null;
    return { tool: known.accepted, isChanged: known.pending !== null, isOffered: known.offered };
  }

  /**
   * Their names: from now on they are what the person was shown. One that has changed once more since then is not what
   * anybody has agreed to.
   */
  accept(shown: readonly ChangedTool[]): readonly string[] {
    return shown.flatMap(({ now }) => {
      const known = this.#known.get(now.name);
      if (known?.pending?.digest !== now.digest || !known.offered) return [];
      known.accepted = known.pending;
      known.pending = null;
      return [now.name];
    });
  }
}
