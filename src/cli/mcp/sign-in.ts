import { join } from "node:path";
import { abortable } from "../../lib/clock.ts";
import { SignInFile } from "../../mcp/broker/sign-in-file.ts";
import type { Mcp } from "../../mcp/open-mcp.ts";
import { joinServers } from "../../mcp/parse-servers.ts";
import type { HttpServer, McpServer } from "../../mcp/server.ts";
import { counted as countedText } from "../../terminal/figures.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Arguments } from "../arguments.ts";
import type { Context } from "../command.ts";
import { exitCodes, quoted, UsageError } from "../exit-codes.ts";
import { onStopSignals } from "../interrupts.ts";
import type { CliIO } from "../process-io.ts";
import { serversOfConfigs, serversOfLeaves } from "./chosen-servers.ts";
import { loginConfig } from "./mcp-flags.ts";
import { READY_MS, serversHere, startServers, unknownServer } from "./servers-here.ts";

/** `mcp login NAME`. The exit code is 1 if the sign-in failed, 130 after Ctrl-C. */
export async function signInAt(name: string, args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { counted, all, trusted, env, root: cwd, home } = await serversHere(args, context);
  const ofFlags = await serversOfConfigs(args.value(loginConfig), env, io.cwd);
  const { servers, problems } = joinServers([...serversOfLeaves(counted, env), ...ofFlags]);
  const server = servers.find((one) => isNamed(one, name));
  if (server === undefined) {
    const problem = problems.find((sentence) => sentence.includes(`"${name}"`));
    if (problem !== undefined) throw new Error(problem);
    const others = serversOfLeaves(all, env).flatMap((file) => file.servers);
    throw notUsedError(name, [...servers, ...others], trusted);
  }
  if (server.type === "stdio") throw programError(server);
  const stop = new AbortController();
  const withdraw = onStopSignals(io, (code) => {
    // A second signal exits immediately.
    if (stop.signal.aborted) io.leave(code);
    stop.abort(code);
  });
  const mcp = startServers([server], { clock: io.clock, env, cwd, home });
  try {
    return await signIn(mcp, server, { io, home, signal: stop.signal });
  } finally {
    withdraw();
    await mcp.close();
  }
}

async function signIn(
  mcp: Mcp,
  server: HttpServer,
  { io, home, signal }: { readonly io: CliIO; readonly home: string; readonly signal: AbortSignal },
): Promise<number> {
  const { slug } = server;
  const print = (text: string) => io.stderr.write(`${text}\n`);
  const state = () => mcp.servers().find((one) => one.slug === slug)?.state;
  const exitCode = () => (typeof signal.reason === "number" ? signal.reason : exitCodes.interrupted);
  await abortable(mcp.ready(READY_MS), signal).catch(() => {});
  if (signal.aborted) return exitCode();
  const before = state();
  if (before?.type === "failed") throw new Error(before.reason);
  if (before?.type === "connected") {
    const isSignedIn = signInFile(server, home).read().tokens !== undefined;
    await print(
      isSignedIn
        ? `You are already signed in at ${named(server)}; troupe mcp logout ${slug} forgets that.`
        : `${capitalize(named(server))} works without a sign-in.`,
    );
    return exitCodes.done;
  }
  const outcome = await mcp.signIn(slug, (url) => void showPage(url, server, io), signal);
  if (!outcome.ok && signal.aborted) {
    await print("The sign-in was stopped.");
    return exitCode();
  }
  if (!outcome.ok) throw new Error(outcome.message);
  const after = state();
  if (after?.type !== "connected") {
    const why = after !== undefined && "reason" in after && after.reason ? `: ${after.reason}` : ".";
    throw new Error(`You are signed in at ${named(server)}, but it is not connected${why}`);
  }
  const tools = countedText(mcp.tools().length, "tool");
  await print(`You are signed in at ${named(server)}, and it is connected (${tools}).`);
  return exitCodes.done;
}

/** Only the address goes to stdout, for a program that opens it. */
async function showPage(url: string, server: HttpServer, io: CliIO): Promise<void> {
  const wants = `${capitalize(named(server))} wants you to sign in.`;
  await io.stderr.write(`${wants} Open this page in a browser on this machine:\n`);
  await io.stdout.write(`${safeLine(url)}\n`);
  await io.stderr.write("Waiting until you have signed in; Ctrl-C stops.\n");
}

/** `mcp logout NAME`, also for a server that is not used now. */
export async function signOutAt(name: string, args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { all, env, home } = await serversHere(args, context);
  const ofFlags = await serversOfConfigs(args.value(loginConfig), env, io.cwd);
  const known = [...serversOfLeaves(all, env), ...ofFlags].flatMap(({ servers }) => servers);
  const found = known.filter((server) => isNamed(server, name));
  const [server] = found;
  if (server === undefined) throw unknownError(name, known);
  const { signOut } = await import("../../mcp/broker/sign-out.ts");
  const served = found.filter((one) => one.type !== "stdio");
  const ends = await Promise.all(served.map((one) => signOut(one, signInFile(one, home), io.clock)));
  const wasSignedIn = ends.some((end) => end.wasSignedIn);
  const text = wasSignedIn ? "You are no longer signed in at" : "You were not signed in at";
  const left = new Set(ends.flatMap(({ stillValid }) => stillValid ?? []));
  await io.stderr.write(`${[`${text} ${named(server)}.`, ...left].join(" ")}\n`);
  return exitCodes.done;
}

function signInFile(server: HttpServer, home: string): SignInFile {
  return new SignInFile(join(home, "mcp-sign-ins"), server);
}

function isNamed({ name, slug }: McpServer, wanted: string): boolean {
  return name === wanted || slug === wanted;
}

function notUsedError(name: string, known: readonly McpServer[], trusted: boolean): Error {
  const server = known.find((one) => isNamed(one, name));
  if (server === undefined) return unknownError(name, known);
  if (server.type === "stdio") return programError(server);
  const subject = `${capitalize(named(server))} (${server.file})`;
  return new Error(
    trusted
      ? `${subject} is disabled in settings, so there is no sign-in.`
      : `${subject} is of a directory that is not trusted; --trust signs in all the same.`,
  );
}

function unknownError(name: string, known: readonly McpServer[]): UsageError {
  return unknownServer(
    name,
    known.map((one) => one.name),
  );
}

function programError(server: McpServer): UsageError {
  return new UsageError(`${capitalize(named(server))} is a program on this machine and has no sign-in.`);
}

function named({ name }: Pick<McpServer, "name">): string {
  return `the MCP server ${quoted(name)}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
