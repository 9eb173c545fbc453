/** `node stateless.ts`: a server without a handshake, on its pipes. */
import { createInterface } from "node:readline";
import { StatelessServer } from "./stateless-server.ts";

const server = new StatelessServer((message) => process.stdout.write(`${JSON.stringify(message)}\n`));
createInterface({ input: process.stdin }).on("line", (line) => server.receive(JSON.parse(line)));
