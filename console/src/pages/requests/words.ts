/** The words of the list of requests. */
import { pageWords } from '../../words/words.ts';
import { en } from './words.en.ts';
import { zh } from './words.zh.ts';

export const words = pageWords('requests', en, zh);
