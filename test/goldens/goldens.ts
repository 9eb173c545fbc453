import { describe, expect, test } from "vitest";
import { play } from "./play.ts";
import { type Known, render, textsIn } from "./render.ts";
import type { Session } from "./session.ts";

/** The session that shows prompts and tools in full; the others name what they share with it. */
export const base: Session = {
  name: "every built-in type of agent",
  run: ["-p begin"],
  unordered: true,
  replies: {
    main: [
      ["Explore", "general-purpose", "Plan", "code-reviewer"].map((type) => [
        "Agent",
        { subagent_type: type, description: type, prompt: `#${type}` },
      ]),
    ],
    "#Explore": ["I am Explore."],
    "#general-purpose": ["I am general-purpose."],
    "#Plan": ["I am Plan."],
    "#code-reviewer": ["I am code-reviewer."],
  },
};

/** A text that is written to a golden as it is, without quotes and escapes. */
class Golden {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

expect.addSnapshotSerializer({
  test: (value) => value instanceof Golden,
  serialize: (value: Golden) => value.text,
});

let known: Promise<Known> | undefined;

async function baseTexts(): Promise<Known> {
  const played = await play(base);
  return new Map(["#Explore", "main"].flatMap((key) => textsIn(played, key)));
}

/**
 * Compares each session with what was recorded; `npx vitest run test/goldens -u` records anew. One of five runs with
 * `npm test`, all of them with `npm run test:rest`.
 */
export function goldens(topic: string, sessions: readonly Session[]): void {
  describe(topic, () => {
    for (const [place, session] of sessions.entries())
      test.concurrent(session.name, {
        timeout: 180_000,
        ...(place % 5 === 0 ? {} : { tags: ["long"] }),
      }, async ({ expect: expecting }) => {
        known ??= baseTexts();
        const played = await play(session);
        const text = render(played, session, session === base ? new Map() : await known);
        expecting(new Golden(text)).toMatchSnapshot();
      });
  });
}
