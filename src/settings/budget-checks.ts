import * as z from "zod/mini";
import { type Kind, numbersByName } from "./checks.ts";

/** What an agent of a type may use, as settings say it. */
export interface AgentLimits {
  readonly tokens?: number;
  readonly usd?: number;
  readonly turns?: number;
  readonly minutes?: number;
}

/** Dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

const DOLLARS = { min: 0, max: 1_000_000 };

export function agentBudgets(): Kind<Readonly<Record<string, AgentLimits>>> {
  return numbersByName(
    "object of budgets",
    {
      tokens: { min: 1, max: 1_000_000_000_000 },
      usd: DOLLARS,
      turns: { min: 1, max: 100_000 },
      minutes: { min: 0.01, max: 10_080 },
    },
    "an object of agent types, each an object with any of tokens, usd, turns and minutes, which are numbers",
  );
}

/** What is cached costs as much as other input where nobody says otherwise: rather too much than too little. */
export function modelPrices(): Kind<Readonly<Record<string, ModelPrices>>> {
  const { type, check } = numbersByName(
    "object of prices",
    { input: DOLLARS, output: DOLLARS, cacheWrite: DOLLARS, cacheRead: DOLLARS },
    "an object of models, each an object with input and output (and cacheWrite, cacheRead), in dollars per million tokens",
    ["input", "output"],
  );
  const filled = z.transform((prices: Readonly<Record<string, Partial<ModelPrices>>>) =>
    Object.fromEntries(Object.entries(prices).map(([model, price]) => [model, whole(price)])),
  );
  return { type, check: z.pipe(check, filled) };
}

function whole({
  input = 0,
  output = 0,
  cacheWrite = input,
  cacheRead = input,
}: Partial<ModelPrices>): ModelPrices {
  return { input, output, cacheWrite, cacheRead };
}

/** How dear a model is altogether, so that one price can be compared with another. */
export function priceSum(price: unknown): number {
  const checked = modelPrices().check.safeParse({ price });
  if (!checked.success) return 0;
  const { input = 0, output = 0, cacheWrite = 0, cacheRead = 0 } = checked.data["price"] ?? {};
  return input + output + cacheWrite + cacheRead;
}
