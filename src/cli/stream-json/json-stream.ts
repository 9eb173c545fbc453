import { randomUUID } from "node:crypto";
import type { SupervisorEvent } from "../../events/event.ts";
import { errorMessage } from "../../lib/errors.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { promptAnswer, toPromptCall } from "../../mcp/permission-prompt.ts";
import type { UserAnswer, UserRequest } from "../../policy/user-requests.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import { endWithoutAgent, type JobEnd, MAIN_JOB } from "../jobs.ts";
import type { CliIO } from "../process-io.ts";
import { promptJson } from "../result-json.ts";
import { lastEnd } from "../results.ts";
import type { SessionEnd } from "../run-session.ts";
import { sessionFlags } from "../session-flags.ts";
import { createStreamMessages } from "./stream-messages.ts";
import { readUserLines, type UserLine } from "./user-lines.ts";

interface JsonStreamOptions {
  readonly io: Pick<CliIO, "stdin" | "stdout" | "cwd" | "clock">;
  readonly partial: boolean;
  /** Returns why the program may not choose a mode, or null. */
  whyNot(mode: PermissionMode): string | null;
  note(line: string): void;
}

const WITHDRAWN = "The request was withdrawn.";

/** One JSON object per line on stdout, and with `--input-format stream-json` on stdin. */
export function openJsonStream({ io, partial, whyNot, note }: JsonStreamOptions) {
  let session: SupervisorHandle | null = null;
  /** The model at the beginning. */
  let started = "";
  let toLines: ReturnType<typeof createStreamMessages> = () => [];
  /** The end that was written last. */
  let written: JobEnd["summary"] | null = null;
  const asked = new Map<string, (reply: unknown) => void>();
  /** True if nothing more comes on stdin: no request can be answered. */
  let isOver = false;

  const write = (line: object): Promise<void> => io.stdout.write(`${JSON.stringify(line)}\n`);
  const say = (line: object): void => {
    // The end of the command reports a reader that has gone.
    write(line).catch(() => {});
  };
  const writeEnd = async (finished: SessionEnd): Promise<void> => {
    const summary = lastEnd(finished)?.summary ?? null;
    if (summary !== null && summary === written && finished.unfinished.length === 0) return;
    written = summary;
    await write({ ...promptJson(finished), uuid: randomUUID() });
  };

  const answerControl = (
    handle: SupervisorHandle,
    { id, request }: Extract<UserLine, { type: "control" }>,
  ): void => {
    const respond = (response: object): void =>
      say({ type: "control_response", response: { request_id: id, ...response } });
    try {
      switch (request.subtype) {
        case "initialize": {
          const commands = handle.skills().map(({ name, description }) => ({ name, description }));
          respond({ subtype: "success", response: { commands } });
          break;
        }
        case "interrupt":
          handle.cancel(MAIN, "The program interrupted it.", "foreground");
          respond({ subtype: "success" });
          break;
        case "set_permission_mode": {
          const mode = sessionFlags.permissionMode.read([String(request["mode"])]) ?? "default";
          const why = whyNot(mode);
          if (why === null) handle.setMode(mode);
          respond(why === null ? { subtype: "success" } : { subtype: "error", error: why });
          break;
        }
        case "set_model": {
          // Without a name, as with the word, it is the model of the beginning.
          const { model = "default" } = request;
          const name = model === null || model === "default" ? started : String(model);
          const change = handle.models.change(name);
          respond(
            change.type === "changed" ? { subtype: "success" } : { subtype: "error", error: change.reason },
          );
          break;
        }
        default:
          throw new Error(
            `There is no request ${JSON.stringify(request.subtype)}; there are initialize, interrupt, set_model and set_permission_mode.`,
          );
      }
    } catch (error) {
      respond({ subtype: "error", error: errorMessage(error) });
    }
  };

  const promptWithLines = async (handle: SupervisorHandle, signal: AbortSignal): Promise<JobEnd> => {
    const prompts: string[] = [];
    let wake = (): void => {};
    const close = readUserLines(
      io.stdin,
      (line) => {
        switch (line.type) {
          case "prompt":
            prompts.push(line.text);
            return wake();
          case "control":
            return answerControl(handle, line);
          case "answer":
            return asked.get(line.id)?.(line.response["response"]);
          case "wrong":
            return note(line.problem);
          default:
            return line satisfies never;
        }
      },
      () => {
        isOver = true;
        for (const answer of asked.values()) answer(undefined);
        wake();
      },
    );
    const stop = () => wake();
    signal.addEventListener("abort", stop);
    let last: JobEnd | null = null;
    try {
      for (;;) {
        const text = signal.aborted ? undefined : prompts.shift();
        if (text === undefined) {
          if (isOver || signal.aborted) break;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const startedAt = io.clock.now();
        last = await handle.prompt(text, signal);
        if (signal.aborted) break;
        await writeEnd({
          ...{ ends: [last], answered: null, unfinished: [], account: handle.usage() },
          durationMs: io.clock.now() - startedAt,
        });
      }
    } finally {
      signal.removeEventListener("abort", stop);
      close();
    }
    return last ?? endWithoutAgent(MAIN_JOB, "failed", "No prompt came on stdin.");
  };

  return {
    /** Called with the session before its first prompt. */
    begin(handle: SupervisorHandle): void {
      session = handle;
      started = handle.describe().model;
      toLines = createStreamMessages({ session, cwd: io.cwd, partial, newId: () => randomUUID() });
    },
    onEvent(event: SupervisorEvent): void {
      for (const line of toLines(event)) say(line);
    },
    /** Writes the result of a session that was not written yet. */
    end: writeEnd,
    /** Prompts the conversation with each line of stdin, one after the other, until its end. */
    job: { ...MAIN_JOB, start: promptWithLines },
    /** Asks the program. */
    user: {
      ask: (request: UserRequest, signal: AbortSignal) =>
        new Promise<UserAnswer>((resolve) => {
          if (isOver || signal.aborted) {
            const reason = isOver ? "stdin has ended, so the program cannot answer." : WITHDRAWN;
            resolve({ type: "unavailable", reason });
            return;
          }
          const id = randomUUID();
          const settle = (answer: UserAnswer): void => {
            asked.delete(id);
            signal.removeEventListener("abort", withdraw);
            resolve(answer);
          };
          const withdraw = (): void => {
            say({ type: "control_cancel_request", request_id: id });
            settle({ type: "unavailable", reason: WITHDRAWN });
          };
          asked.set(id, (reply) =>
            settle(promptAnswer(request, reply, "The program that asked for stream-json")),
          );
          signal.addEventListener("abort", withdraw);
          const [{ actor }] = request.askers;
          const agent = actor === MAIN ? {} : { agent_id: actor };
          say({
            ...{ type: "control_request", request_id: id },
            request: { subtype: "can_use_tool", ...toPromptCall(request), ...agent },
          });
        }),
    },
  };
}
