/** `ledger-program HOME CWD SESSION|- FIRST|list`: sends numbers from FIRST on and prints each that was acknowledged, until it is killed. */
import { scriptedModel } from "../../../src/model/scripted.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { Supervisor } from "../../../src/session/supervisor.ts";
import { copy, ledger } from "./ledger.ts";

const [home = "", cwd = "", session = "-", first = "1"] = process.argv.slice(2);
const resumed = session === "-" ? null : await resumeSession({ home, cwd, session: { id: session } });
if (resumed?.type === "refused") throw new Error(resumed.reason);
const supervisor = new Supervisor({
  ...{ home, cwd, source: { provider: "client", client: scriptedModel(() => ({ text: "" })) } },
  ...(resumed === null ? {} : { resume: resumed.session }),
  onEvent: (event) => event.type === "warning" && console.log(`warning ${event.message}`),
});
console.log(`session ${supervisor.session}`);
const copies = await supervisor.actors.start(copy);
const actor = await supervisor.actors.start(ledger);
if (first === "list") {
  const numbers = await actor.ask("list", {});
  let copied = await copies.ask("list", {});
  while (copied.length < numbers.length) copied = await copies.ask("list", {});
  console.log(`list ${JSON.stringify({ numbers, copied })}`);
  await supervisor.close();
} else {
  // Three at once, so that messages wait when it is killed.
  for (let n = Number(first); ; n += 3) {
    const sent = [n, n + 1, n + 2].map((one) =>
      actor.ask("add", { n: one }).then(() => console.log(`ack ${one}`)),
    );
    await Promise.all(sent);
  }
}
