/** The overview's own words. */
import { pageWords } from '../../words/words.ts';
import { en } from './words.en.ts';
import { zh } from './words.zh.ts';

export const words = pageWords('overview', en, zh);
