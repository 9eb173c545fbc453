import { printable } from "../../lib/printable.ts";
import type { Grant } from "./grants.ts";
import type { Trust } from "./trust.ts";

/** Grants in one question; a directory can have any number, and a user reads only some. */
const MOST_GRANTS = 40;

/** Returns the question whether a directory is trusted, with all that this would grant; null if nothing needs trust. */
export function trustQuestion(folder: string, trust: Trust, servers: readonly Grant[] = []): string | null {
  if (trust.type !== "untrusted") return servers.length === 0 ? null : serverQuestion(folder, servers);
  const { wasTrusted } = trust;
  const fresh = [...trust.fresh, ...servers];
  const first = wasTrusted
    ? `The settings of ${printable(folder)} have changed since you trusted them. New is that they would:`
    : `${printable(folder)} brings settings of its own (.claude, .mcp.json, .git). If you trust it, they will:`;
  const left = fresh.length - MOST_GRANTS;
  return [
    first,
    ...fresh.slice(0, MOST_GRANTS).map(({ words }) => `  - ${words}`),
    ...(left > 0 ? [`  - and ${left} more; look at the files before you agree`] : []),
    "Until you do, they can only deny and ask. Do you trust this directory?",
  ].join("\n");
}

function serverQuestion(folder: string, servers: readonly Grant[]): string {
  return [
    `Agents can ask language servers about the code of ${printable(folder)}. These load code and settings of the directory, and may run it. If you trust it, agents can:`,
    ...servers.slice(0, MOST_GRANTS).map(({ words }) => `  - ${words}`),
    "Until you do, no language server is started. Do you trust this directory?",
  ].join("\n");
}

/** Returns one line for a user who cannot be asked: what was left out, and how to allow it; null if nothing was. */
export function untrustedNote(trust: Trust): string | null {
  if (trust.type !== "untrusted") return null;
  const { wasTrusted } = trust;
  // What their definitions may not do is said with the agents and skills.
  const others = (of: readonly Grant[]) => of.filter(({ agent, replaces }) => !agent && !replaces);
  const [grants, fresh] = [others(trust.grants), others(trust.fresh)];
  if (fresh.length === 0) return null;
  if (fresh.every(({ git }) => git))
    return `This directory is not trusted with what its repository would have git do (${listed(fresh)}), so git asks first; --trust agrees to it for this run.`;
  if (fresh.every(({ skill }) => skill))
    return `This directory is not trusted with what its skills would do without a question, or run when they are loaded (${listed(fresh)}); they are there without it, and --trust agrees to it for this run.`;
  const why = wasTrusted
    ? `The settings of this directory have changed since it was trusted (new: ${listed(fresh)})`
    : "This directory is not trusted";
  const what = wasTrusted ? "" : ` (${listed(grants)})`;
  return `${why}, so what its own settings allow or run is left out${what}; --trust counts it for this run.`;
}

function listed(grants: readonly Grant[]): string {
  const left = grants.length - 3;
  const words = grants.slice(0, 3).map(({ words }) => words);
  return `${words.join("; ")}${left > 0 ? `; and ${left} more` : ""}`;
}
