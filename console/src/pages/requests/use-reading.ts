/** Whether somebody reads the rows: then none may move under their eyes. */
import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Read are rows that the pointer is over, that the focus is in, that are selected, or that one has scrolled to. */
export function useReading(place: RefObject<HTMLElement | null>): () => boolean {
  const over = useRef(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    // A finger that has gone is over nothing.
    const onMove = ({ pointerType }: PointerEvent) => {
      over.current = pointerType === 'mouse';
    };
    const onLeave = () => {
      over.current = false;
    };
    element.addEventListener('pointermove', onMove);
    element.addEventListener('pointerleave', onLeave);
    return () => {
      element.removeEventListener('pointermove', onMove);
      element.removeEventListener('pointerleave', onLeave);
    };
  }, [place]);

  return useCallback(() => {
    const element = place.current;
    if (element === null) return false;
    const selection = document.getSelection();
    const selects = selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode);
    const row = element.querySelector('tbody tr');
    const scrolled = row !== null && row.getBoundingClientRect().top < 0;
    return over.current || selects || scrolled || (document.activeElement?.closest('tbody') ?? null) !== null;
  }, [place]);
}
