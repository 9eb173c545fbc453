import type { MessagePort } from "node:worker_threads";
import type { ActorId } from "../mailbox/ids.ts";

/** The gateway's ports, one per actor. Closing one ends the actor's requests. */
export class AgentPorts {
  private readonly ports = new Map<ActorId, MessagePort>();
  private readonly sides = new Set<MessagePort>();

  /** A new port of the same actor is a new attempt: ends requests of the old one. */
  add(actor: ActorId, port: MessagePort, side?: "side"): void {
    if (side !== undefined) {
      this.sides.add(port);
      port.once("close", () => this.sides.delete(port));
      return;
    }
    this.close(actor);
    this.ports.set(actor, port);
    port.once("close", () => {
      if (this.ports.get(actor) === port) this.ports.delete(actor);
    });
  }

  close(actor: ActorId): void {
    this.ports.get(actor)?.close();
    this.ports.delete(actor);
  }

  closeAll(): void {
    for (const actor of [...this.ports.keys()]) this.close(actor);
    for (const port of this.sides) port.close();
  }
}
