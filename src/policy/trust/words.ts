import { shown } from "../settings/shown.ts";
import type { Grant } from "./grants.ts";
import type { Trust } from "./trust.ts";

/** Grants in one question; a folder can have any number, and a person reads so many. */
const MOST_GRANTS = 40;

/** The question whether a folder is trusted, with all that this would grant; null where there is nothing to ask. */
export function trustQuestion(folder: string, trust: Trust): string | null {
  if (trust.type !== "untrusted") return null;
  const { fresh, wasTrusted } = trust;
  const first = wasTrusted
    ? `The settings of ${shown(folder)} have changed since you trusted them. New is that they would:`
    : `${shown(folder)} brings settings of its own (.claude, .git). If you trust it, they will:`;
  const left = fresh.length - MOST_GRANTS;
  return [
    first,
    ...fresh.slice(0, MOST_GRANTS).map(({ words }) => `  - ${words}`),
    ...(left > 0 ? [`  - and ${left} more; look at the files before you agree`] : []),
    "Until you do, they can only deny and ask. Do you trust this folder?",
  ].join("\n");
}

/** One line for somebody who cannot be asked: that something was left out, and how to have it; null where nothing was. */
export function untrustedNote(trust: Trust): string | null {
  if (trust.type !== "untrusted") return null;
  const { grants, fresh, wasTrusted } = trust;
  const why = wasTrusted
    ? `The settings of this folder have changed since it was trusted (new: ${listed(fresh)})`
    : "This folder is not trusted";
  const what = wasTrusted ? "" : ` (${listed(grants)})`;
  return `${why}, so what its own settings allow or run is left out${what}; --trust counts it for this run.`;
}

/** Why a command that runs git must be asked about; null where git runs nothing of anybody else's. */
export function foreignGitClause(fresh: readonly Grant[], ofThisFolder: boolean): string | null {
  const [first] = fresh;
  if (first === undefined) return null;
  const more = fresh.length === 1 ? "" : ` (and ${fresh.length - 1} more of the kind)`;
  const how = ofThisFolder
    ? "--trust agrees to it for one run"
    : "look at that repository, then allow the command by a rule if you want it";
  return `it would ${first.words}${more}, which nobody has agreed to; ${how}`;
}

function listed(grants: readonly Grant[]): string {
  const left = grants.length - 3;
  const words = grants.slice(0, 3).map(({ words }) => words);
  return `${words.join("; ")}${left > 0 ? `; and ${left} more` : ""}`;
}
