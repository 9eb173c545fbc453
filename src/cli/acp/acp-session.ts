import type {
  AvailableCommand,
  ContentBlock,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { SupervisorEvent } from "../../events/event.ts";
import { promptUsage } from "../../features/servers/server-prompts.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { Status, Summary } from "../../mailbox/messages.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { sessionTitle } from "../user-text.ts";
import { type AcpClient, type ClientPrompt, readClientPrompt } from "./acp-client.ts";
import { sessionUpdates, textChunk, type UpdateParts } from "./session-updates.ts";

export interface AcpSessionParts extends UpdateParts {
  readonly handle: SupervisorHandle;
  /** Returns why the client may not choose a mode, or null. */
  whyNot(mode: PermissionMode): string | null;
  readonly client: Pick<AcpClient, "show">;
}

const MODES: readonly (readonly [id: PermissionMode, name: string, description: string])[] = [
  ["default", "Ask", "Asks before edits and commands that no rule allows"],
  ["acceptEdits", "Accept edits", "Edits files of the workspace without asking"],
  ["plan", "Plan", "Reads and plans, and changes nothing until you approve the plan"],
  ["dontAsk", "Don't ask", "Refuses what no rule allows, without asking"],
  ["bypassPermissions", "Bypass", "Allows everything that no rule forbids"],
];

const MODEL = "model";

const COMPACT: AvailableCommand = {
  name: "compact",
  description: "Makes this conversation shorter: a summary in place of its older turns",
  input: { hint: "what to keep" },
};

/** One session of a connection: prompts one at a time, and updates for its client. */
export class AcpSession {
  readonly #parts: AcpSessionParts;
  readonly #toUpdates: (event: SupervisorEvent) => SessionUpdate[];
  #mode: PermissionMode;
  #commands = "";
  /** Of the conversation, as the server counted them last. */
  #tokens = 0;
  /** As it was sent last. */
  #usage = "";
  #hasTitle = false;
  /** Stops the prompt that runs. */
  #running: AbortController | null = null;

  constructor(parts: AcpSessionParts) {
    this.#parts = parts;
    this.#toUpdates = sessionUpdates(parts);
    this.#mode = parts.handle.mode();
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  modes(): SessionModeState {
    const allowed = MODES.filter(([id]) => id === this.#mode || this.#parts.whyNot(id) === null);
    const availableModes = allowed.map(([id, name, description]) => ({ id, name, description }));
    return { currentModeId: this.#mode, availableModes };
  }

  /** What a client can choose: the model. */
  configOptions(): SessionConfigOption[] {
    const models = this.#parts.handle.models.choices();
    return [
      {
        ...{ type: "select", id: MODEL, name: "Model", category: "model" },
        currentValue: models.find(({ isCurrent }) => isCurrent)?.name ?? "",
        options: models.map(({ name, model }) => ({ value: name, name, description: safeText(model) })),
      },
    ];
  }

  /** Throws a sentence if there is no such option, or the model may not be chosen. */
  setConfigOption(id: string, value: string | boolean): SessionConfigOption[] {
    if (id !== MODEL) throw new Error(`There is no option ${JSON.stringify(id)}; there is ${MODEL}.`);
    const change = this.#parts.handle.models.change(String(value));
    if (change.type === "refused") throw new Error(change.reason);
    return this.configOptions();
  }

  onEvent(event: SupervisorEvent): void {
    if (event.type === "message" && event.actor === MAIN && event.usage) {
      this.#tokens = totalTokens(event.usage);
      this.#sendUsage();
    }
    if (event.type === "compacted" && event.actor === MAIN) this.#tokens = event.after;
    for (const update of this.#toUpdates(event)) this.#parts.client.show(update);
    this.#sendMode();
  }

  /** Sends what can be called as `/name` if it has changed. */
  sendCommands(): void {
    const { handle, client } = this.#parts;
    const skills = handle.skills().map(({ name, description, argumentHint }): AvailableCommand => {
      return { name, description, ...(argumentHint === null ? {} : { input: { hint: argumentHint } }) };
    });
    const prompts = handle.mcp.prompts().map((prompt): AvailableCommand => {
      const hint = promptUsage(prompt).split(" ").slice(1).join(" ");
      const { name, server, description = `A prompt of the MCP server ${server}` } = prompt;
      return { name, description, ...(hint === "" ? {} : { input: { hint } }) };
    });
    const availableCommands = [COMPACT, ...skills, ...prompts];
    const text = JSON.stringify(availableCommands);
    if (text === this.#commands) return;
    this.#commands = text;
    client.show({ sessionUpdate: "available_commands_update", availableCommands });
  }

  /** Throws a sentence if the mode does not exist or may not be chosen. */
  setMode(id: string): void {
    const mode = sessionFlags.permissionMode.read([id]) ?? "default";
    const why = this.#parts.whyNot(mode);
    if (why !== null) throw new Error(why);
    this.#mode = mode;
    this.#parts.handle.setMode(mode);
  }

  /** Runs one prompt to its end. Rejects with a sentence if another one runs, it is empty, or it has failed. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#running !== null)
      throw new Error("This session still works on the last prompt; cancel it, or wait for its end.");
    const prompt = readClientPrompt(blocks);
    if (prompt.text === "") throw new Error("The prompt is empty; send text, or a link to a file.");
    const stop = new AbortController();
    this.#running = stop;
    try {
      return await this.#run(prompt, AbortSignal.any([signal, stop.signal]));
    } finally {
      this.#running = null;
      this.#sendMode();
      this.#sendUsage();
      this.sendCommands();
    }
  }

  /** Ends the prompt that runs, with everything below it. */
  cancel(): void {
    this.#running?.abort();
  }

  async #run({ text, images }: ClientPrompt, signal: AbortSignal): Promise<PromptResponse> {
    const { handle, client } = this.#parts;
    const [command, keep = ""] = /^\/compact(?:\s+([\s\S]+))?$/.exec(text) ?? [];
    if (command !== undefined) return this.#compact(keep, signal);
    if (!this.#hasTitle) {
      this.#hasTitle = true;
      client.show({ sessionUpdate: "session_info_update", title: sessionTitle(text) });
    }
    const { summary } = await handle.prompt(text, signal, images);
    return this.#endOf(summary);
  }

  async #compact(keep: string, signal: AbortSignal): Promise<PromptResponse> {
    const { handle, client } = this.#parts;
    const stop = () => handle.cancel(MAIN, "The client cancelled it.", "foreground");
    signal.addEventListener("abort", stop, { once: true });
    const done = await handle.compact(MAIN, keep);
    signal.removeEventListener("abort", stop);
    if (signal.aborted) return { stopReason: "cancelled" };
    const said = done.type === "left" ? done.reason : "The conversation is shorter now.";
    for (const update of textChunk(said)) client.show(update);
    return { stopReason: "end_turn" };
  }

  #endOf({ status, reason }: Summary): PromptResponse {
    const stopReason = STOP_REASONS[status];
    if (stopReason === null) throw new Error(safeText(reason ?? "The conversation could not continue."));
    if (status !== "done" && status !== "cancelled" && reason !== undefined)
      for (const update of textChunk(`\n\n${safeText(reason)}`)) this.#parts.client.show(update);
    return { stopReason };
  }

  /** Sends the size of the conversation and the cost of the session, once a reply has come. */
  #sendUsage(): void {
    const { handle, client } = this.#parts;
    if (this.#tokens === 0) return;
    const size = handle.models.choices().find(({ isCurrent }) => isCurrent)?.windowTokens ?? 0;
    const cost = { amount: handle.usage().costUsd, currency: "USD" };
    const update = { sessionUpdate: "usage_update" as const, used: this.#tokens, size, cost };
    const text = JSON.stringify(update);
    if (text !== this.#usage) client.show(update);
    this.#usage = text;
  }

  #sendMode(): void {
    const mode = this.#parts.handle.mode();
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#parts.client.show({ sessionUpdate: "current_mode_update", currentModeId: mode });
  }
}

/** Null: the request has failed. */
const STOP_REASONS: Readonly<Record<Status, PromptResponse["stopReason"] | null>> = {
  done: "end_turn",
  partial: "end_turn",
  cancelled: "cancelled",
  out_of_turns: "max_turn_requests",
  over_budget: "max_tokens",
  timed_out: "end_turn",
  failed: null,
  out_of_memory: null,
};
