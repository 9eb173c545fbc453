import type { ModelClient } from "./client.ts";
import type { GatewayConfig } from "./gateway.ts";

interface Provider extends Pick<GatewayConfig, "source" | "aliases" | "availableModels" | "limits"> {
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Loads only the selected provider. */
export async function openProvider({
  source,
  aliases,
  availableModels,
  limits,
  env = {},
}: Provider): Promise<ModelClient> {
  const options = {
    ...{ ...source, env },
    ...(aliases ? { aliases } : {}),
    ...(availableModels ? { availableModels } : {}),
    ...(limits?.idleMs === undefined ? {} : { idleMs: limits.idleMs }),
  };
  switch (source.provider) {
    case "anthropic": {
      const { anthropicModel } = await import("./anthropic.ts");
      return anthropicModel(options);
    }
    case "openai": {
      const { openaiModel } = await import("./openai.ts");
      return openaiModel(options);
    }
    case "offline": {
      const { offlineModel } = await import("./offline.ts");
      return offlineModel();
    }
    default:
      return source satisfies never;
  }
}
