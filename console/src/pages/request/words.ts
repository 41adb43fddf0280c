/** The words of the page of one request. */
import { pageWords } from '../../words/words.ts';
import { en } from './words.en.ts';
import { zh } from './words.zh.ts';

export const words = pageWords('request', en, zh);
