/** Raised when a line changes its meaning: a viewer of another one says so and shows nothing. */
export const LIVE_PROTOCOL = 1;
