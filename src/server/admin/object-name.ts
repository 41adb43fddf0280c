/** Names of configuration objects: they stand in logs, in paths and in the file. */
import { pattern } from '../../config/schema/fields.ts';

const LONGEST = 128;

export const NAME = pattern(
  new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${LONGEST - 1}}$`),
  `a name of letters, digits, dot, dash and underscore, at most ${LONGEST} characters`,
);
