import type { Openable } from "./server.ts";

/** A thing of BullMQ's that is opened with its first use. If that fails, it is dead for good, so the next use opens another. */
export class Reopened<T extends Openable> {
  private opened: Promise<T> | null = null;
  private readonly open: () => T;
  private readonly onError: () => void;

  constructor(open: () => T, onError: () => void) {
    this.open = open;
    this.onError = onError;
  }

  get(): Promise<T> {
    if (this.opened) return this.opened;
    const thing = this.open();
    thing.on("error", this.onError);
    const opened = thing.waitUntilReady().then(
      () => thing,
      (error: unknown) => {
        if (this.opened === opened) this.opened = null;
        thing.close().catch(() => {});
        throw error;
      },
    );
    this.opened = opened;
    return opened;
  }

  async close(): Promise<void> {
    const thing = await this.opened?.catch(() => null);
    await thing?.close();
  }
}
