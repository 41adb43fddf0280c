/** Light, dark or as the system has it: kept in this browser, put on the root element. */
import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
/** What the reader chose. */
export type ThemeChoice = (typeof THEMES)[number];
/** What is shown. */
export type Theme = 'light' | 'dark';

const KEPT_AS = 'understudy.theme';
const system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function kept(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEPT_AS);
    return THEMES.find((theme) => theme === value) ?? 'system';
  } catch {
    return 'system';
  }
}

let choice: ThemeChoice = kept();

/** The theme on the screen. */
export function shownTheme(): Theme {
  if (choice !== 'system') return choice;
  return system.matches ? 'dark' : 'light';
}

function show(): void {
  document.documentElement.dataset['theme'] = shownTheme();
  for (const listener of listeners) listener();
}

/** Before the first paint, and whenever the system changes its mind. */
export function startTheme(): void {
  system.addEventListener('change', show);
  show();
}

/** Takes the reader's choice and keeps it. */
export function chooseTheme(next: ThemeChoice): void {
  choice = next;
  try {
    localStorage.setItem(KEPT_AS, next);
  } catch {
    // Storage is off: it holds for this page alone.
  }
  show();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What the reader chose. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, () => choice);
}

/** What is shown, for what is drawn on a canvas. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, shownTheme);
}
