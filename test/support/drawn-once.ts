/**
 * Property tests draw the same cases in every run, so that a run says something of the code and nothing of chance. To draw
 * others: `UNDERSTUDY_DRAW=random npx vitest run …`, or a number in its place.
 */
import fc from 'fast-check';

const asked = process.env['UNDERSTUDY_DRAW'];
const FIXED = 20_261_130;

if (asked !== 'random') fc.configureGlobal({ seed: asked === undefined ? FIXED : Number(asked) });
