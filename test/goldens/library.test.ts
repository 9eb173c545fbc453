import {
  resumeSession,
  type SessionEvent,
  type SessionOptions,
  Session as TroupeSession,
} from "../../src/index.ts";
import { goldens } from "./goldens.ts";
import type { Place, Session } from "./session.ts";

type Use = (troupe: TroupeSession, events: readonly SessionEvent[], place: Place) => unknown;

function optionsAt({ project, home, url }: Place): SessionOptions {
  const model = { provider: "anthropic", apiKey: "sk-test-golden", baseURL: url } as const;
  return { cwd: project, home: `${home}/.troupe`, model };
}

/** A program that uses the library against the server. */
function used(
  name: string,
  use: Use,
  replies: Session["replies"] = {},
  options: Partial<SessionOptions> = {},
): Session {
  const run = async (place: Place) => {
    const events: SessionEvent[] = [];
    const troupe = new TroupeSession({ ...optionsAt(place), ...options });
    const reading = (async () => {
      for await (const event of troupe.events()) events.push(event);
    })();
    try {
      const told = await use(troupe, events, place);
      await troupe.close();
      await reading;
      return { told, events: [...new Set(events.map(({ type }) => type))].sort() };
    } finally {
      await troupe.close();
    }
  };
  return { name, files: { "a.txt": "a\n" }, run: [run], replies };
}

const spawned = { "#look": [[["Read", { file_path: "$P/a.txt" }] as const], "Looked."], "#two": ["Two."] };

goldens("the library", [
  used("prompt, twice", async (troupe) => [await troupe.prompt("go"), await troupe.prompt("on")], {
    main: ["First.", "Second."],
  }),
  used("spawn", (troupe) => troupe.spawn({ type: "Explore", prompt: "#look" }), spawned),
  used(
    "spawn several",
    (troupe) =>
      Promise.all([troupe.spawn({ prompt: "#look" }), troupe.spawn({ prompt: "#two", type: "Plan" })]),
    spawned,
  ),
  used("an empty prompt, an unknown type", async (troupe) => [
    await troupe.prompt("").catch(String),
    await Promise.resolve()
      .then(() => troupe.spawn({ prompt: "x", type: "none" }))
      .catch(String),
  ]),
  used(
    "limits",
    (troupe) => troupe.prompt("go"),
    { main: [[["Read", { file_path: "$P/a.txt" }]], "Summary."] },
    { limits: { maxTurns: 1 } },
  ),
  used(
    "restored",
    async (troupe, _events, place) => {
      const { summary } = await troupe.prompt("go");
      await troupe.close();
      const restored = await resumeSession({
        home: `${place.home}/.troupe`,
        cwd: place.project,
        session: "latest",
      });
      if (restored.type === "refused") return restored;
      const { session } = restored;
      const again = new TroupeSession({ ...optionsAt(place), resume: session });
      const second = await again.prompt("more");
      await again.close();
      return [summary, second];
    },
    { main: ["First.", "Second."] },
  ),
]);
