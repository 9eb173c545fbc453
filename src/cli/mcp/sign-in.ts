import { join } from "node:path";
import { nearName } from "../../mailbox/near-name.ts";
import { SignInFile } from "../../mcp/broker/sign-in-file.ts";
import type { Mcp } from "../../mcp/mcp.ts";
import { joinServers } from "../../mcp/parse-servers.ts";
import type { HttpServer, McpServer } from "../../mcp/server.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { counted as countedWords } from "../figures.ts";
import { safeLine } from "../safe-text.ts";
import { quoted, UsageError } from "../usage-error.ts";
import { serversOfConfigs, serversOfLeaves } from "./chosen-servers.ts";
import { loginConfig } from "./mcp-flags.ts";
import { openedServers, PATIENCE_MS, type ServersHere, serversHere } from "./servers-here.ts";

/** `mcp login NAME`. Exit code 1 where nobody has signed in, 130 where the person gave up. */
export async function signInAt(name: string, args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const here = await serversHere(args, context);
  const server = await serverToSignIn(name, args, context, here);
  const gaveUp = new AbortController();
  const codes = [
    ["SIGINT", exitCodes.interrupted],
    ["SIGTERM", exitCodes.terminated],
    ["SIGHUP", exitCodes.hungUp],
  ] as const;
  const withdrawals = codes.map(([signal, code]) =>
    io.onSignal(signal, () => {
      if (gaveUp.signal.aborted) io.leave(code);
      gaveUp.abort(code);
    }),
  );
  const { env, root: cwd, home } = here;
  const mcp = openedServers([server], { clock: io.clock, env, cwd, home });
  try {
    const code = await signedIn(mcp, server, { ...context, home, signal: gaveUp.signal });
    const { aborted, reason } = gaveUp.signal;
    return aborted && typeof reason === "number" ? reason : code;
  } finally {
    for (const withdraw of withdrawals) withdraw();
    await mcp.close();
  }
}

interface Signing extends Pick<Context, "io"> {
  readonly home: string;
  readonly signal: AbortSignal;
}

async function signedIn(mcp: Mcp, server: HttpServer, { io, home, signal }: Signing): Promise<number> {
  const { slug } = server;
  const say = (words: string) => io.stderr.write(`${words}\n`);
  const state = () => mcp.servers().find((one) => one.slug === slug)?.state;
  await Promise.race([mcp.ready(PATIENCE_MS), aborted(signal)]);
  if (signal.aborted) return exitCodes.interrupted;
  const before = state();
  if (before?.type === "failed") throw new Error(before.reason);
  if (before?.type === "connected") {
    const has = signInFile(server, home).read().tokens !== undefined;
    const words = has
      ? `You are signed in at ${named(server)} already; troupe mcp logout ${slug} forgets that.`
      : `${capital(named(server))} works without signing in.`;
    await say(words);
    return exitCodes.done;
  }
  const outcome = await mcp.signIn(slug, (url) => void show(url, server, { io }), signal);
  if (!outcome.ok && signal.aborted) {
    await say("Nobody has signed in.");
    return exitCodes.interrupted;
  }
  if (!outcome.ok) throw new Error(outcome.message);
  const after = state();
  if (after?.type !== "connected") {
    const why = after !== undefined && "reason" in after && after.reason ? `: ${after.reason}` : ".";
    throw new Error(`You are signed in at ${named(server)}, but it is not connected${why}`);
  }
  const tools = countedWords(mcp.tools().length, "tool");
  await say(`You are signed in at ${named(server)}, and it is connected (${tools}).`);
  return exitCodes.done;
}

/** The address alone goes to stdout, for whoever opens it by a program. */
async function show(url: string, server: HttpServer, { io }: Pick<Context, "io">): Promise<void> {
  await io.stderr.write(
    `${capital(named(server))} wants you to sign in. Open this page in a browser on this machine:\n`,
  );
  await io.stdout.write(`${safeLine(url)}\n`);
  await io.stderr.write("Waiting until you have; Ctrl-C gives up.\n");
}

/** `mcp logout NAME`: also of a server that does not count any more. */
export async function signOutAt(name: string, args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const here = await serversHere(args, context);
  const known = await serversKnown(args, context, here);
  const found = known.filter((server) => isNamed(server, name));
  if (found.length === 0) throw missing(name, known);
  const forgotten = found
    .filter(({ type }) => type !== "stdio")
    .filter((server) => forget(server, here.home));
  const [server] = found;
  const words = forgotten.length > 0 ? "You are no longer signed in at" : "Nobody was signed in at";
  await io.stderr.write(`${words} ${named(server ?? { name })}.\n`);
  return exitCodes.done;
}

function forget(server: McpServer, home: string): boolean {
  return server.type !== "stdio" && signInFile(server, home).forget();
}

function signInFile(server: HttpServer, home: string): SignInFile {
  return new SignInFile(join(home, "mcp-sign-ins"), server);
}

/** The one that counts. Throws a sentence where nobody can sign in at it. */
async function serverToSignIn(
  name: string,
  args: Arguments,
  { io }: Context,
  { all, counted, env, trusted }: ServersHere,
): Promise<HttpServer> {
  const ofFlags = await serversOfConfigs(args.value(loginConfig), env, io.cwd);
  const { servers, problems } = joinServers([...serversOfLeaves(counted, env), ...ofFlags]);
  const server = servers.find((one) => isNamed(one, name));
  if (server?.type === "stdio") throw aProgram(server);
  if (server !== undefined) return server;
  const problem = problems.find((sentence) => sentence.includes(`"${name}"`));
  if (problem !== undefined) throw new Error(problem);
  const others = serversOfLeaves(all, env).flatMap((file) => file.servers);
  const other = others.find((one) => isNamed(one, name));
  if (other === undefined) throw missing(name, [...servers, ...others]);
  if (other.type === "stdio") throw aProgram(other);
  throw new Error(
    trusted
      ? `${capital(named(other))} (${other.file}) is switched off by settings, so nobody signs in at it.`
      : `${capital(named(other))} (${other.file}) is of a folder that is not trusted; --trust signs in at it all the same.`,
  );
}

async function serversKnown(
  args: Arguments,
  { io }: Context,
  { all, env }: ServersHere,
): Promise<readonly McpServer[]> {
  const ofFlags = await serversOfConfigs(args.value(loginConfig), env, io.cwd);
  return [...serversOfLeaves(all, env), ...ofFlags].flatMap(({ servers }) => servers);
}

function isNamed({ name, slug }: McpServer, wanted: string): boolean {
  return name === wanted || slug === wanted;
}

function missing(name: string, there: readonly McpServer[]): UsageError {
  const guess = nearName(
    name,
    there.map((one) => one.name),
  );
  const known = guess ? `did you mean ${guess}?` : "troupe mcp list shows those there are.";
  return new UsageError(`There is no MCP server ${quoted(name)}; ${known}`);
}

function named({ name }: Pick<McpServer, "name">): string {
  return `the MCP server ${quoted(name)}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function aProgram(server: McpServer): UsageError {
  return new UsageError(`${capital(named(server))} is a program here: nobody signs in at it.`);
}
