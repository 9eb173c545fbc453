import type { ConfinedView } from "../../mailbox/confined.ts";
import { realOf } from "../engine/path-candidates.ts";
import { type BuilderOptions, findBuilder, tryOut } from "./builder.ts";
import { findProtected } from "./held.ts";
import { MadeNames } from "./made.ts";
import { findMasks } from "./masks.ts";
import { openings } from "./probe.ts";
import { trustedProgram } from "./programs.ts";
import type { Prepared, SandboxReport, SandboxSettings } from "./sandbox.ts";
import { type LightGround, lightGround, lightView, type SandboxWorkspace } from "./view.ts";

/** A command to confine. */
export interface LightCommand extends SandboxWorkspace {
  /** True if rules deny a path to be read, or ask about it. */
  hides(path: string): boolean;
}

/** The confinements of commands that only read, or only change unprotected files of the workspace (semantics 5.7). */
export interface LightConfinement {
  /** Tried when the first command needs it. Never rejects. */
  report(): Promise<SandboxReport>;
  /** Null if the command cannot be confined. Never rejects. */
  prepare(type: "read" | "write", command: LightCommand): Promise<Prepared | null>;
}

export interface LightOptions extends BuilderOptions {
  readonly settings: Pick<SandboxSettings, "readOnly" | "denyRead">;
}

export function lightConfinement(options: LightOptions): LightConfinement {
  const { settings, env, home, troupeHome, directories, run } = options;
  const builder = settings.readOnly
    ? findBuilder(options)
    : "The read-only confinement is switched off (troupe.sandbox.readOnly).";
  const find = trustedProgram("find", env["PATH"], directories);
  let tried: Promise<SandboxReport> | null = null;
  let ground: LightGround | null = null;

  const report = (): Promise<SandboxReport> => {
    if (typeof builder === "string") return Promise.resolve({ state: "unavailable", reason: builder });
    if (tried === null) new MadeNames(builder.state, "").sweep();
    tried ??= tryOut("write", builder, options, (found, weaker) => {
      const open = [...openings(found), ...(weaker ? ["saw the processes of this container"] : [])];
      if (open.length === 0) return { state: "enforced", reason: "" };
      return { state: "unavailable", reason: `A confined command ${open.join(", ")}.` };
    }).then((probed) => probed.report);
    return tried;
  };

  const prepare = async (type: "read" | "write", command: LightCommand): Promise<Prepared | null> => {
    if (typeof builder === "string" || (await report()).state !== "enforced") return null;
    ground ??= lightGround({ home, troupeHome, denyRead: settings.denyRead, env });
    if (ground === null) return null;
    const view = lightView(ground, command);
    const { roots, rules } = command;
    const masks = await findMasks({
      ...{ roots: [...roots, ...command.readable], rules, home, run, program: find },
      hides: (path) => command.hides(path),
    });
    if (masks === null) return null;
    const common = { builder: builder.program, state: builder.state };
    if (type === "read")
      return { confined: { ...common, type, seen: [...view, ...masks] }, env: {}, finish: () => null };
    const real = roots.map((root) => realOf(root));
    const held = await findProtected(real, run, find);
    if (held === null) return null;
    const made = new MadeNames(builder.state, "");
    const ended = made.guard(held.absent);
    const seen: ConfinedView[] = [
      ...view,
      ...real.map((path): ConfinedView => ({ as: "write", path })),
      ...held.seen,
      ...masks,
    ];
    const finish = () => {
      const moved = ended();
      made.clear();
      return moved;
    };
    return { confined: { ...common, type, seen }, env: {}, finish };
  };

  return {
    report,
    prepare: (type, command) => prepare(type, command).catch(() => null),
  };
}
