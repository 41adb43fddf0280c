/** A field that is typed into: what is typed shows at once, and counts when the typing rests. */
import { useEffect, useRef, useState } from 'react';

/** Shorter than a pause between words, longer than between letters. */
const REST_MS = 350;

/** What stands in the field, and how it is changed; `commit` gets it once nothing more is typed. */
export function useLater(value: string, commit: (value: string) => void): readonly [string, (value: string) => void] {
  const [typed, setTyped] = useState(value);
  const [before, setBefore] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address changed by other means: a link, „clear“, the way back.
  if (before !== value) {
    setBefore(value);
    setTyped(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(next), REST_MS);
  };
  return [typed, type];
}
