/** Rules and somebody to ask: `node examples/who-may.ts` allows one command, asks about one, and denies one. */
import { Supervisor } from "troupe";

const supervisor = new Supervisor({
  cwd: process.cwd(),
  source: { provider: "offline" },
  allowedTools: ["Bash(node --version)"],
  disallowedTools: ["Bash(git push:*)"],
  // Here a program of yours could ask in a chat, an editor, or by its own rules. One question comes at a time.
  person: {
    async ask(ask) {
      if (ask.type !== "permission") return { type: "nobody", reason: "Only permissions are decided here." };
      console.log(`? ${ask.tool}: ${ask.title} (${ask.reason})`);
      return ask.title.includes("npm run")
        ? { type: "allow", span: "once" }
        : { type: "deny", span: "once", message: "Not today." };
    },
  },
});

for (const command of ["node --version", "npm run", "npm publish", "git push"]) {
  const { summary } = await supervisor.prompt(`run "${command}"`);
  console.log(`${summary.text.split("\n").filter(Boolean).slice(0, 2).join(" ")}\n`);
}
await supervisor.close();
