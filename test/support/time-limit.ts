import { long } from "./long.ts";

/** Of a run that takes forty on two cores that others want too. */
const MINUTES = long(180, 60);

/**
 * A test that hangs fails by its own limit. A run that hangs as a whole, whatever the cause, would say
 * nothing for ever: this one says so and fails.
 */
export default function timeLimit(): () => void {
  const end = () => {
    console.error(
      `The tests still ran after ${MINUTES} minutes; run the directories one by one to see which hangs.`,
    );
    console.log("0 passed, 1 failed, 0 skipped");
    process.exit(1);
  };
  const timer = setTimeout(end, MINUTES * 60_000);
  return () => clearTimeout(timer);
}
