/** The ids of the behaviour's rules. A test's title names the rules it covers; these are the ones that exist. */
const LAST_OF_GROUP = { C: 9, P: 8, F: 6, D: 12, T: 11, H: 5, I: 11, E: 5, R: 5, G: 11, O: 5, X: 5 } as const;

export const RULE_IDS: ReadonlySet<string> = new Set(
  Object.entries(LAST_OF_GROUP).flatMap(([group, last]) =>
    Array.from({ length: last }, (_, index) => `${group}-${index + 1}`),
  ),
);

/** Rules this version does not carry out yet, or that no test of this version can show. Shrinks as they are built. */
export const RULES_TO_COME: ReadonlySet<string> = new Set('X-2 X-3'.split(/\s+/));
