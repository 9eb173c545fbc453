import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { removeAll } from "./remove-all.ts";

/** A server of the test's own, with its own data, that can be killed and started again on the same port. */
export interface OwnServer {
  readonly url: string;
  readonly port: number;
  /** SIGKILL. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  /** SIGSTOP and SIGCONT: it holds its connections and does not answer. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
const ORDINARY_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const postgresPrograms = findPostgres();

export const whyNoRedis =
  spawnSync("redis-server", ["--version"]).error === undefined ? null : "redis-server is not installed";
export const whyNoPostgres = postgresPrograms === null ? "PostgreSQL is not installed" : null;

/** With `args` after those that give it a port and a folder; `isSecure`: only TLS is spoken on the port. */
export async function startRedis(
  args: readonly string[] = ["--appendonly", "yes"],
  isSecure = false,
): Promise<OwnServer> {
  const folder = ownFolder("troupe-redis-");
  const port = await freePort();
  const ports = isSecure ? ["--port", "0", "--tls-port", `${port}`] : ["--port", `${port}`];
  const all = [...ports, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...args];
  const isReady = () => accepts(port);
  return runServer("redis-server", all, { folder, port, url: `redis://127.0.0.1:${port}`, isReady });
}

export async function startPostgres(): Promise<OwnServer> {
  if (postgresPrograms === null) throw new Error("PostgreSQL is not installed");
  const folder = ownFolder("troupe-postgres-");
  const data = join(folder, "data");
  const quick = ["--no-sync", "--auth=trust", "--username=troupe", "--encoding=UTF8", "--locale=C"];
  execFileSync(join(postgresPrograms, "initdb"), ["-D", data, ...quick], {
    ...ORDINARY_USER,
    cwd: folder,
    stdio: "ignore",
  });
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories="];
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const url = `postgres://troupe@127.0.0.1:${port}/postgres`;
  // It accepts connections while it starts, and refuses them then.
  const ready = join(postgresPrograms, "pg_isready");
  const isReady = async () =>
    spawnSync(ready, ["-h", "127.0.0.1", "-p", `${port}`], { stdio: "ignore" }).status === 0;
  return runServer(join(postgresPrograms, "postgres"), args, { folder, port, url, isReady });
}

function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  if (ORDINARY_USER.uid !== undefined) chownSync(folder, ORDINARY_USER.uid, ORDINARY_USER.gid);
  return folder;
}

async function runServer(
  program: string,
  args: readonly string[],
  at: Pick<OwnServer, "url" | "port"> & { readonly folder: string; isReady(): Promise<boolean> },
): Promise<OwnServer> {
  let child: ChildProcess | undefined;
  const signal = (name: NodeJS.Signals) => {
    // Its own group: a killed PostgreSQL leaves children behind for a moment.
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, name);
  };
  const crash = async () => {
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    signal("SIGKILL");
    await ended;
  };
  const start = async () => {
    for (let tries = 0; tries < 200; tries += 1) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null)
        child = spawn(program, args, { ...ORDINARY_USER, cwd: at.folder, stdio: "ignore", detached: true });
      if (await at.isReady()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${program} does not start`);
  };
  const close = async () => {
    if (child?.exitCode === null && child.signalCode === null) await crash();
    removeAll(at.folder);
  };
  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ url: at.url, port: at.port },
    crash,
    restart: start,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    close,
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.destroy());
    socket.on("error", () => resolve(false));
    socket.on("close", (hadError) => resolve(!hadError));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Debian keeps PostgreSQL's programs out of the path. */
function findPostgres(): string | null {
  const versions = "/usr/lib/postgresql";
  const debian = existsSync(versions) ? readdirSync(versions).map((name) => join(versions, name, "bin")) : [];
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...debian];
  const found = folders.find(
    (folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")),
  );
  return found === undefined ? null : dirname(realpathSync(join(found, "initdb")));
}
