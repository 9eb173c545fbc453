import { existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";
import { errorMessage } from "../../lib/errors.ts";
import { isPattern } from "../../lib/globs.ts";
import { removeDirectory } from "../../lib/on-disk.ts";
import type { ConfinedView } from "../../mailbox/confined.ts";
import { userPlaces } from "../../settings/paths.ts";
import { holds, realOf } from "../engine/path-candidates.ts";
import { fromHome, hide, namedPaths, realOrNull, secretPaths, seenAs } from "./denied-paths.ts";
import { type Builder, type BuilderOptions, findBuilder, trustedProgram, tryOut } from "./find-builder.ts";
import { between, findProtected } from "./find-protected.ts";
import { MadeNames, SANDBOX_DIRECTORY } from "./made.ts";
import { findForbidden, findMasks, type MaskSearch, outermost } from "./masks.ts";
import { type Network, openNetwork } from "./network.ts";
import { type DeniedPatterns, deniedPatterns, tooWidePattern } from "./patterns.ts";
import { type Findings, openings } from "./probe.ts";
import {
  describedPolicy,
  type Prepared,
  type Sandbox,
  type SandboxPlace,
  type SandboxReport,
  type SandboxSettings,
} from "./sandbox.ts";

export interface OpenSandboxOptions extends BuilderOptions {
  readonly settings: SandboxSettings;
  /** Where to make the session's temporary directory, from `os.tmpdir()`. */
  readonly temporary: string;
  /** A bash. */
  readonly shell: string;
}

/** Opens the sandbox of a session whose mode is not off; nothing else loads it. Returns immediately. */
export function openSandbox(options: OpenSandboxOptions): Sandbox {
  const builder = findBuilder(options);
  if (typeof builder === "string") return noSandbox(builder);
  try {
    return new OpenSandbox(options, builder);
  } catch (error) {
    return noSandbox(
      `The sandbox has no directory of its own (${errorMessage(error)}). Check the directory for temporary files (TMPDIR).`,
    );
  }
}

const UNCHECKED =
  "What the command made could not be compared with the patterns in denyWrite of the sandbox: the search failed.";

class OpenSandbox implements Sandbox {
  readonly ready: Promise<SandboxReport>;
  report: SandboxReport | null = null;
  readonly #options: OpenSandboxOptions;
  readonly #builder: Builder;
  /** Troupe's directory, with the commands' temporary directory in it. */
  readonly #directory: string;
  readonly #temporary: string;
  readonly #made: MadeNames;
  readonly #find: string | null;
  #network: Network | null = null;
  #weaker = false;

  constructor(options: OpenSandboxOptions, builder: Builder) {
    this.#options = options;
    this.#builder = builder;
    this.#directory = realpathSync(mkdtempSync(join(options.temporary, SANDBOX_DIRECTORY)));
    this.#temporary = join(this.#directory, "tmp");
    mkdirSync(this.#temporary, { mode: 0o700 });
    this.#made = new MadeNames(builder.state, this.#directory);
    this.#made.sweep();
    this.#find = trustedProgram("find", options.env["PATH"], options.directories);
    this.ready = this.#opened().then((report) => {
      this.report = report;
      return report;
    });
  }

  describe(place: SandboxPlace): string {
    if (this.report?.state === "unavailable") return "";
    const { settings, home, troupeHome, env } = this.#options;
    return describedPolicy({
      ...place,
      ...{ home, troupeHome, temporary: this.#temporary },
      denyRead: [
        ...secretPaths({ home, troupeHome, env, denyRead: settings.denyRead }),
        ...settings.denyRead.filter(isPattern),
      ],
      allowedDomains: this.#network === null ? [] : settings.allowedDomains,
      ...{
        deniedDomains: settings.deniedDomains,
        denyWrite: settings.denyWrite.map((path) => (isPattern(path) ? path : fromHome(path, home))),
      },
      canLeave: settings.mode === "on",
    });
  }

  async prepare(place: SandboxPlace): Promise<Prepared | string> {
    const { state, reason } = await this.ready;
    if (state === "unavailable") return reason;
    try {
      return await this.#prepare(place);
    } catch (error) {
      return `The command could not be put into the sandbox: ${errorMessage(error)}.`;
    }
  }

  async #prepare(place: SandboxPlace): Promise<Prepared> {
    const { writable, readable, git } = place;
    const { home, troupeHome, env, settings, run } = this.#options;
    const tooWidePath = tooWidePattern(settings.denyRead, home);
    if (tooWidePath !== null) throw new Error(tooWidePath);
    const roots = outermost(writable.map(realRoot));
    // A sandbox does not hold a command that may write the whole machine or home.
    const tooWide = roots.find((root) => holds(root, realOf(home)) || root === sep);
    if (tooWide !== undefined)
      throw new Error(
        `${tooWide} holds the whole home, and a command that may write there is not held by a sandbox; start Troupe in a project's directory`,
      );
    const held = await findProtected(roots, userPlaces(env, home).claudeDir, run, this.#find);
    if (held === null)
      throw new Error(
        "what is protected in the workspace could not all be found (find failed, or there is too much of it)",
      );
    const shown = [...roots, ...existing(readable)];
    const secrets = secretPaths({ home, troupeHome, env, denyRead: settings.denyRead });
    const unwritable = namedPaths(settings.denyWrite, home);
    const denied = deniedPatterns(settings, place, home);
    const masks = await this.#findDenied(denied, (search) => findMasks(search), [...roots, ...readable]);
    const findKept = () =>
      this.#findDenied(denied, (search) => findForbidden(search, "Edit"), roots, denied?.keeps);
    const kept = await findKept();
    const patterns = [...masks.map(({ path }) => path), ...kept];
    const seen: ConfinedView[] = [
      ...seenAs("write", [...roots, ...existing(git?.writable ?? []), this.#temporary]),
      ...held.seen,
      ...seenAs("read", [...existing(unwritable), ...existing(git?.held ?? []), ...this.#ours(roots)]),
      ...hide(secrets, shown),
      // Renamed, a directory would take them out of the pattern.
      ...seenAs(
        "pinned",
        patterns.flatMap((path) => between(path, roots)),
      ),
      ...seenAs("read", kept),
      ...masks,
      ...seenAs("read", existing(readable)),
    ];
    const end = this.#made.guard([
      ...held.absent,
      ...unwritable.filter((path) => !existsSync(path) && roots.some((root) => holds(root, path))),
    ]);
    return {
      confined: {
        ...{ type: "full", builder: this.#builder.program, state: this.#builder.state, seen },
        ...(this.#weaker ? { weaker: true } : {}),
        ...(this.#network === null ? {} : { bridge: this.#network.bridge }),
      },
      env: { TMPDIR: this.#temporary, ...this.#network?.env },
      finish: async () => {
        const made = await findKept().catch(() => null);
        const moved = end(made?.filter((path) => !kept.includes(path)));
        return made === null ? [moved, UNCHECKED].filter(Boolean).join(" ") : moved;
      },
    };
  }

  /** Throws if what patterns forbid cannot all be found. */
  async #findDenied<T>(
    denied: DeniedPatterns | null,
    find: (search: MaskSearch) => Promise<T[] | null>,
    roots: readonly string[],
    hides = denied?.hides,
  ): Promise<T[]> {
    if (denied === null || hides === undefined) return [];
    const { home, run } = this.#options;
    const found = await find({ roots, rules: denied.rules, home, hides, run, program: this.#find });
    if (found !== null) return found;
    throw new Error(
      "what patterns in denyRead and denyWrite of the sandbox match could not all be found and kept (a search took over 3 s, they match more than 300 paths, or the workspace itself); make them narrower",
    );
  }

  async close(): Promise<void> {
    await this.ready;
    await this.#network?.close();
    this.#made.clear();
    try {
      removeDirectory(this.#directory);
    } catch {
      // What is left only takes room, and the session still has to end.
    }
  }

  /** Returns programs between the sandbox and the network that are in the workspace. */
  #ours(roots: readonly string[]): string[] {
    const filter = this.#network?.bridge.at(-1);
    const directory = filter === undefined ? null : realOrNull(dirname(filter));
    return directory !== null && roots.some((root) => holds(root, directory)) ? [directory] : [];
  }

  async #opened(): Promise<SandboxReport> {
    const probed = await tryOut("full", this.#builder, this.#options, judged);
    this.#weaker = probed.weaker;
    if (probed.report.state === "unavailable") return probed.report;
    const lack = await this.#openNetwork();
    return { state: probed.report.state, reason: [probed.report.reason, lack].filter(Boolean).join(" ") };
  }

  /** Returns why the allowed hosts cannot be reached; null if they can, or no host is allowed. */
  async #openNetwork(): Promise<string | null> {
    const { settings, platform, env, directories, shell } = this.#options;
    if (settings.allowedDomains.length === 0) return null;
    const socat = platform === "linux" ? trustedProgram("socat", env["PATH"], directories) : null;
    const lack = "The hosts in troupe.sandbox.allowedDomains cannot be reached, because";
    if (socat === null)
      return `${lack} socat is not installed${platform === "linux" ? "" : " (Linux only)"}.`;
    try {
      this.#network = await openNetwork(
        { allowed: settings.allowedDomains, denied: settings.deniedDomains },
        {
          socat,
          shell,
          directory: this.#directory,
        },
      );
      return null;
    } catch (error) {
      return `${lack} ${errorMessage(error)}.`;
    }
  }
}

/** Reports the findings about the full sandbox. */
export function judged(found: Findings, weaker: boolean): SandboxReport {
  const { process, socket, ...files } = found;
  const through = openings({ ...files, process: false, socket: false });
  if (through.length > 0)
    return {
      state: "unavailable",
      reason: `The sandbox does not hold on this machine: a command in it ${through.join(", ")}. Please report this.`,
    };
  const open = openings({ ...found, outside: false });
  if (open.length === 0 && !weaker) return { state: "enforced", reason: "" };
  const seen = weaker ? ["saw the processes of this container, which lets no one mount a /proc"] : [];
  return {
    state: "partial",
    reason: `The sandbox holds files and network, but a command in it ${[...seen, ...open].join(", ")}. So commands need permission as without it.`,
  };
}

function realRoot(directory: string): string {
  if (!isAbsolute(directory)) throw new Error(`${directory} is not an absolute path`);
  return realpathSync(directory);
}

function existing(paths: readonly string[]): string[] {
  return paths.flatMap((path) => realOrNull(path) ?? []);
}

function noSandbox(reason: string): Sandbox {
  const report: SandboxReport = { state: "unavailable", reason };
  return {
    ...{ ready: Promise.resolve(report), report, describe: () => "" },
    prepare: async () => reason,
    close: async () => {},
  };
}
