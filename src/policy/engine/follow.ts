import type { ShellPart, ShellRedirect, ShellScript } from "../shell/script.ts";
import { unwrapped } from "../shell/wrappers.ts";
import { Directories, type Whereabouts } from "./directories.ts";
import { cdTarget } from "./permits.ts";

/** What is done at each step of a script, with where it then stands. */
export interface Visitor {
  part(part: ShellPart, where: Directories): void;
  redirects(redirects: readonly ShellRedirect[], where: Directories): void;
}

/** Walks the steps of a script with the working directory that each has. */
export function follow(script: ShellScript, start: Whereabouts, home: string, visit: Visitor): void {
  const where = new Directories(start);
  for (const step of script.steps) {
    switch (step.type) {
      case "part":
        visit.part(step.part, where);
        moveBy(step.part, where, home);
        break;
      case "redirects":
        visit.redirects(step.redirects, where);
        break;
      case "data":
        break;
      default:
        where.step(step.type);
    }
  }
}

/** What a command does to the working directory. */
export function moveBy(part: ShellPart, where: Directories, home: string): void {
  const { words } = unwrapped(part.words);
  const name = words[0]?.value ?? "";
  if (name === "cd") where.move(cdTarget(words, home).to);
  else if (["pushd", "popd", "source", ".", "eval"].includes(name)) where.move(null);
}
