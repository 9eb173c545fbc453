import { settingsSource } from "../../../src/cli/directories.ts";
import type { OwnFiles, SlashContext } from "../../../src/cli/repl/slash-context.ts";
import { SessionId } from "../../../src/mailbox/ids.ts";
import { settingsReader } from "../../../src/policy/trust/trust.ts";
import { FakeIO } from "../fake-io.ts";

const unasked = () => {
  throw new Error("It is not asked for this.");
};

/** A session that is asked for nothing but what a test gives it. */
export function slashContext(own: OwnFiles, session: Partial<SlashContext["session"]> = {}): SlashContext {
  return {
    session: {
      session: SessionId.parse("session0000001"),
      folder: "/none",
      tasks: { list: () => [], output: unasked, stop: unasked },
      ...{ tree: unasked, cancel: unasked, compact: unasked, mcpServers: unasked, serversLeftOut: unasked },
      ...{
        mode: unasked,
        setMode: unasked,
        rules: unasked,
        skills: unasked,
        usage: unasked,
        models: { choices: unasked, change: unasked },
      },
      mcp: {
        ...{ prompts: () => [], signIn: unasked, signOut: unasked, restart: unasked },
        ...{ changes: unasked, accept: unasked },
      },
      ...session,
    } as SlashContext["session"],
    ...{ say() {}, stoppable: () => new AbortController().signal },
    ...{
      own,
      contextTokens: null,
      whyNot: () => null,
      confirmMode: async () => true,
      leave() {},
      clear: unasked,
      rewindTo: unasked,
      terminal: { paint: (_, text) => text, columns: () => 80, dialog: unasked, giveBack: unasked },
      paint: (_, text) => text,
      now: () => 0,
      goOnWith() {},
    },
  };
}

/** The files of a conversation in this directory. */
export function ownFiles({
  cwd,
  homedir,
  managed,
  trusts = false,
}: {
  readonly cwd: string;
  readonly homedir: string;
  /** The organisation's settings. */
  readonly managed: string;
  readonly trusts?: boolean;
}): OwnFiles {
  const io = Object.assign(new FakeIO({ homedir, cwd }), { managedSettings: managed });
  return { io, cwd, root: cwd, reader: settingsReader(settingsSource(io, cwd), trusts) };
}
