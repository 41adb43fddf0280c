/** The words of this page. */
import { pageWords } from '../../words/words.ts';
import { en } from './words.en.ts';
import { zh } from './words.zh.ts';

export const words = pageWords('webhooks', en, zh);
