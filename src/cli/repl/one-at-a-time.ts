/** Returns a function that runs one action after the other: the next starts when the one before has ended, however. */
export function oneAtATime(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> | null = null;
  return (run) => {
    const mine = last === null ? run() : last.then(run, run);
    last = mine;
    const ended = (): void => {
      if (last === mine) last = null;
    };
    void mine.then(ended, ended);
    return mine;
  };
}
