/** Ids of the items in answers that no upstream of this dialect made. */

/** How a thought's id begins there: where the client sends it back, nobody knows it. */
export const OWN_THOUGHT = 'rs_us_';
