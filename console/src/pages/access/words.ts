/** The words that these pages share. */
import { pageWords } from '../../words/words.ts';
import { en } from './words.en.ts';
import { zh } from './words.zh.ts';

export const accessWords = pageWords('access', en, zh);
