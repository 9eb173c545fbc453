import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../mailbox/clock.ts";
import { readDenies } from "./bounds.ts";
import { SandboxThread } from "./client.ts";
import { describedPolicy } from "./describe.ts";
import type { ThreadData } from "./lane.ts";
import { SANDBOX_FOLDER } from "./leftovers.ts";
import { judged, probe, type Run } from "./probe.ts";
import { keepProbe, type Probed, probeKey, readProbe } from "./probe-cache.ts";
import { trustedProgram } from "./programs.ts";
import type { NotWrapped, Sandbox, SandboxReport, SandboxSettings, Wrapped } from "./sandbox.ts";
import { kernelSwitch, whyNotHere, whyNotStarted } from "./why-none.ts";

export interface SandboxOptions {
  readonly settings: SandboxSettings;
  readonly platform: NodeJS.Platform;
  /** The kernel's release, as `os.release()` says it. */
  readonly kernel: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's home. */
  readonly home: string;
  readonly troupeHome: string;
  /** Where the session's own folder for temporary files is made, as `os.tmpdir()` says it. */
  readonly temporary: string;
  /** The workspace: no program that builds the sandbox is taken from it. */
  readonly folders: readonly string[];
  /** A bash. */
  readonly shell: string;
  /** Starts a program as all others of the session are started. */
  readonly run: Run;
  readonly clock: Clock;
}

/** Opens the sandbox of a session whose mode is not off; nothing of it is loaded elsewhere. Returns at once. */
export function openSandbox(options: SandboxOptions): Sandbox {
  const { platform, kernel, env, folders } = options;
  const find = (name: string) => trustedProgram(name, env["PATH"], folders);
  const bwrap = platform === "linux" ? find("bwrap") : null;
  const none = whyNotHere(platform, kernel, bwrap);
  if (none !== null) return noSandbox(none);
  try {
    return new OpenSandbox(options, {
      bwrap,
      socat: find("socat"),
      setpriv: isRoot() && platform === "linux" ? find("setpriv") : null,
    });
  } catch (error) {
    return noSandbox(
      `The sandbox has no folder of its own (${reasonOf(error)}). Check the folder for temporary files (TMPDIR).`,
    );
  }
}

const KEEPS_RIGHTS =
  "Commands keep the rights of root in the sandbox, because setpriv is not installed. Install util-linux, or run Troupe as an ordinary user.";

interface Programs {
  readonly bwrap: string | null;
  readonly socat: string | null;
  readonly setpriv: string | null;
}

class OpenSandbox implements Sandbox {
  readonly ready: Promise<SandboxReport>;
  report: SandboxReport | null = null;
  readonly #options: SandboxOptions;
  readonly #thread: SandboxThread;
  readonly #data: ThreadData;
  /** Ours: scripts and sockets of the sandbox, and in it the commands' folder for temporary files. */
  readonly #folder: string;
  readonly #secret: string;
  #weaker = false;

  constructor(options: SandboxOptions, programs: Programs) {
    this.#options = options;
    this.#folder = realpathSync(mkdtempSync(join(options.temporary, SANDBOX_FOLDER)));
    this.#secret = join(this.#folder, "secret");
    const temporary = join(this.#folder, "tmp");
    const empty = join(this.#folder, "empty");
    for (const made of [temporary, empty]) mkdirSync(made, { mode: 0o700 });
    const { home, troupeHome, settings, env, clock } = options;
    this.#data = {
      platform: options.platform,
      ground: { home, troupeHome, temporary, denyRead: [...settings.denyRead, this.#secret] },
      ...{ shell: options.shell, folder: this.#folder, empty },
      ...programs,
      relay: this.#relay(programs.socat),
      allowedDomains: settings.allowedDomains,
      leftovers: join(troupeHome, "sandbox", "leftovers"),
    };
    this.#thread = new SandboxThread(this.#data, threadEnv(env, this.#folder, temporary), clock);
    this.ready = this.#probed().then((report) => {
      this.report = report;
      return report;
    });
  }

  describe(place: Parameters<Sandbox["describe"]>[0]): string {
    if (this.report?.state === "unavailable") return "";
    const { ground, allowedDomains } = this.#data;
    return describedPolicy({
      ...place,
      temporary: ground.temporary,
      denyRead: readDenies(ground).filter((path) => path !== this.#secret),
      allowedDomains: this.#network === null ? allowedDomains : [],
      canLeave: this.#options.settings.mode === "on",
    });
  }

  async wrap(...[program, place, signal]: Parameters<Sandbox["wrap"]>): Promise<Wrapped | NotWrapped> {
    const { state, reason } = await this.ready;
    if (state === "unavailable") return { type: "not-wrapped", reason };
    const wrapped = await this.#wrap(program, place, this.#weaker, signal);
    if (typeof wrapped !== "string") return wrapped;
    return { type: "not-wrapped", reason: `The command could not be put into the sandbox: ${wrapped}.` };
  }

  async close(): Promise<void> {
    await this.#thread.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #wrap(
    ...[program, place, weaker, signal]: Parameters<SandboxThread["wrap"]>
  ): Promise<Wrapped | string> {
    const instead = await this.#thread.wrap(program, place, weaker, signal);
    if (typeof instead === "string") return instead;
    let tidied: Promise<void> | undefined;
    const done = () => {
      tidied ??= this.#thread.done();
      return tidied;
    };
    return { type: "wrapped", program: instead, env: { TMPDIR: this.#data.ground.temporary }, done };
  }

  /** Why the allowed hosts cannot be reached; null where they can, or there are none. */
  get #network(): string | null {
    const { platform, socat, allowedDomains } = this.#data;
    if (allowedDomains.length === 0 || platform !== "linux" || socat !== null) return null;
    return "The hosts in troupe.sandbox.allowedDomains cannot be reached, because socat is not installed.";
  }

  async #probed(): Promise<SandboxReport> {
    const { platform, bwrap, setpriv } = this.#data;
    const file = join(this.#options.troupeHome, "sandbox", "probe.json");
    const key = probeKey(platform, [bwrap, setpriv, process.execPath]);
    const probed = (key === null ? null : readProbe(file, key)) ?? (await this.#probe());
    if (key !== null) keepProbe(file, key, probed);
    this.#weaker = probed.weaker;
    const { state, reason } = probed.report;
    if (state === "unavailable") return probed.report;
    const rights = platform === "linux" && isRoot() && setpriv === null ? KEEPS_RIGHTS : null;
    return {
      state: rights === null ? state : "partial",
      reason: [reason, rights, this.#network].filter(Boolean).join(" "),
    };
  }

  async #probe(): Promise<Probed> {
    const strict = await this.#look(false);
    if (typeof strict !== "string") return { report: strict, weaker: false };
    const said = strict;
    // A container in which nobody may mount a /proc still has the rest to offer.
    const weaker = /proc/i.test(said) ? await this.#look(true) : said;
    if (typeof weaker !== "string") return { report: weaker, weaker: true };
    return { report: { state: "unavailable", reason: whyNotStarted(said, kernelSwitch) }, weaker: false };
  }

  async #look(weaker: boolean): Promise<SandboxReport | string> {
    const { platform, run } = this.#options;
    try {
      const found = await probe({
        ...{ platform, run, folder: this.#folder, secret: this.#secret },
        wrap: (program, place) => this.#wrap(program, place, weaker),
      });
      return typeof found === "string" ? found : judged(found, platform, weaker);
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** The runtime starts socat itself; a killed main process must not leave it behind. */
  #relay(socat: string | null): string | null {
    const { env, folders, platform } = this.#options;
    const setpriv = platform === "linux" ? trustedProgram("setpriv", env["PATH"], folders) : null;
    if (socat === null || setpriv === null) return socat;
    const file = join(this.#folder, "relay");
    writeFileSync(file, `#!/bin/sh\nexec '${setpriv}' --pdeathsig KILL '${socat}' "$@"\n`);
    chmodSync(file, 0o500);
    return file;
  }
}

function noSandbox(reason: string): Sandbox {
  const report: SandboxReport = { state: "unavailable", reason };
  return {
    ready: Promise.resolve(report),
    report,
    describe: () => "",
    wrap: async () => ({ type: "not-wrapped", reason }),
    close: async () => {},
  };
}

/** What the runtime needs: programs, the way to the network, and our folder for what it makes. No keys. */
function threadEnv(env: SandboxOptions["env"], folder: string, temporary: string): Record<string, string> {
  const names =
    "PATH HOME HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_COMPILE_CACHE".split(" ");
  const taken = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(taken), TMPDIR: folder, CLAUDE_CODE_TMPDIR: temporary };
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
