/** Words of the console in English and Chinese: i18next underneath, keys checked by the compiler on top. */
import i18next from 'i18next';
import { useCallback } from 'react';
import { initReactI18next, useTranslation } from 'react-i18next';
import { en } from './shared.en.ts';
import { zh } from './shared.zh.ts';

export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEPT_AS = 'understudy.language';

function firstLanguage(): Language {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEPT_AS);
  } catch {
    // Storage is off: the browser's own choice holds.
  }
  const wanted = [kept ?? '', ...navigator.languages].map((name) => name.split('-', 1)[0]);
  return LANGUAGES.find((language) => wanted.find((name) => name === 'en' || name === 'zh') === language) ?? 'en';
}

const words = i18next.createInstance();

function announce(language: string): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
}

words.on('languageChanged', announce);
void words.use(initReactI18next).init({
  lng: firstLanguage(),
  fallbackLng: 'en',
  defaultNS: 'shared',
  resources: { en: { shared: en }, zh: { shared: zh } },
  // React renders values as text; names with dots are one key.
  interpolation: { escapeValue: false },
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
});

/** Changes the language and keeps the choice in this browser. */
export function chooseLanguage(language: Language): void {
  try {
    localStorage.setItem(KEPT_AS, language);
  } catch {
    // Storage is off: it holds for this page alone.
  }
  void words.changeLanguage(language);
}

type Plural = 'zero' | 'one' | 'two' | 'few' | 'many' | 'other';
/** `rows_one` and `rows_other` are asked for as `rows`, with a `count`. */
export type WordKey<Table> = keyof Table extends infer Key
  ? Key extends `${infer Stem}_${Plural}`
    ? Stem
    : Extract<Key, string>
  : never;
/** Says a key's words, with values for its `{{names}}`. */
export type Say<Table> = (key: WordKey<Table>, values?: Readonly<Record<string, string | number>>) => string;

/** A page's own words, as `pageWords` gives them back. */
export interface PageWords<Table> {
  readonly page: string;
  readonly table: Table;
}

/** Adds a page's words under its own name: once, beside the page. Said by `useSay`. */
export function pageWords<const Table extends Readonly<Record<string, string>>>(
  page: string,
  inEnglish: Table,
  inChinese: Readonly<Record<keyof Table, string>>,
): PageWords<Table> {
  words.addResourceBundle('en', page, inEnglish);
  words.addResourceBundle('zh', page, inChinese);
  return { page, table: inEnglish };
}

/** Says a page's own words in the language on the screen. */
export function useSay<Table>({ page }: PageWords<Table>): Say<Table> {
  const { t } = useTranslation(page, { i18n: words });
  return useCallback((key, values) => t(key, { ...values }) as string, [t]);
}

/** The words every page may use. */
export function useWords(): Say<typeof en> {
  const { t } = useTranslation('shared', { i18n: words });
  return useCallback((key, values) => t(key, { ...values }) as string, [t]);
}

/** The language on the screen; also what numbers and times are written in. */
export function useLanguage(): Language {
  const { i18n } = useTranslation('shared', { i18n: words });
  return i18n.language === 'zh' ? 'zh' : 'en';
}

/** A shared word outside a component. */
export const sayNow: Say<typeof en> = (key, values) => words.t(key, { ...values }) as string;
