import { MAIN } from "../../mailbox/ids.ts";
import { DEFAULT_BASE_URL } from "../../model/base-url.ts";
import type { Gateway } from "../../model/client.ts";
import { GatewayClient } from "../../model/gateway-client.ts";
import { type AvailableModels, modelRefusal, resolveModel } from "../../model/model-names.ts";
import type { PageModel } from "../../web/open-pages.ts";
import { type CompactionOptions, windowFor } from "../compaction/windows.ts";

export interface PageModelOptions {
  readonly source: {
    readonly provider: "anthropic" | "openai" | "offline" | "client";
    readonly baseURL?: string;
  };
  readonly smallModel?: string;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly availableModels?: AvailableModels;
  readonly compaction?: CompactionOptions;
}

/** The model that reads pages. Uses no joint: `openWeb` gets it. Returns the small model, used on behalf of an agent, which is charged. `model`: the session's, resolved. */
export function pageModel(
  gateway: Pick<Gateway, "connect" | "isOver">,
  model: string,
  { smallModel, aliases, availableModels, compaction, source }: PageModelOptions,
): PageModel {
  const isSmall =
    smallModel !== undefined &&
    source.provider !== "offline" &&
    modelRefusal(smallModel, availableModels, aliases) === null;
  const name = isSmall ? resolveModel(smallModel, aliases) : model;
  return {
    // Some languages have a token for each character; half of the window stays free.
    pageChars: Math.floor(windowFor(name, compaction).tokens / 2),
    async ask(actor, { model: named, ...request }, signal) {
      const connect = () => gateway.connect(actor, actor === MAIN, "side");
      const model = new GatewayClient(connect(), async () => {
        if (gateway.isOver) throw new Error("The model gateway is gone.");
        return connect();
      });
      try {
        const asked = named === undefined ? name : resolveModel(named, aliases);
        return await model.ask({ actor, model: asked, ...request }, () => {}, signal);
      } finally {
        model.close();
      }
    },
  };
}

/** True if the model's endpoint is the API with its own search. */
export function hasServerSideSearch({ source }: Pick<PageModelOptions, "source">): boolean {
  return source.provider === "anthropic" && (source.baseURL ?? DEFAULT_BASE_URL) === DEFAULT_BASE_URL;
}
