/** Leaves out what the component library says in languages the console does not speak: thirty-two of them. */
import type { Plugin } from 'vite';

const WORDS = /react-(?:aria|stately|aria-components)\/dist\/private\/intl\/(?:[\w-]+\/)?([a-z]{2}-[A-Z]{2})\.m?js$/;
/** English is also what it falls back to. */
const SPOKEN = new Set(['en-US', 'zh-CN']);

/** A language that is left out is undefined, as the library's own plugin for this has it. */
export function twoLanguages(): Plugin {
  return {
    name: 'two-languages',
    enforce: 'pre',
    load(id) {
      const language = WORDS.exec(id.replaceAll('\\', '/'))?.[1];
      return language === undefined || SPOKEN.has(language) ? null : 'export default undefined;';
    },
  };
}
