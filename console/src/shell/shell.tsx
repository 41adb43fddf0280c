/** Around every page: navigation, the bar on top, messages. */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { ToastRegion } from '../parts/toast.tsx';
import { useWords } from '../words/words.ts';
import { Nav } from './nav.tsx';
import styles from './shell.module.css';
import { TopBar } from './top-bar.tsx';
import { WorkspaceFilterProvider } from './workspace-filter.tsx';

export function Shell({ children }: { readonly children: ReactNode }) {
  const say = useWords();
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const { pathname } = useLocation();
  const moved = useNavigationType();
  const main = useRef<HTMLElement>(null);
  const menu = useRef<HTMLButtonElement>(null);
  const before = useRef(pathname);

  // Who closes the drawer goes on where it was opened, unless to another page, below.
  useEffect(() => (open ? () => menu.current?.focus() : undefined), [open]);

  // Whoever goes to another page reads on from its top, by screen reader, too.
  useEffect(() => {
    if (before.current === pathname) return;
    before.current = pathname;
    setOpen(false);
    // The way back leads to where one was: the browser scrolls there.
    if (moved !== 'POP') window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname, moved]);

  return (
    <WorkspaceFilterProvider>
      <a className={styles.skip} href="#page">
        {say('nav.skip')}
      </a>
      <div className={styles.shell}>
        <Nav open={open} onClose={close} />
        <div className={styles.column} inert={open}>
          <TopBar menu={menu} onMenu={() => setOpen(true)} />
          <main id="page" ref={main} tabIndex={-1} className={styles.main}>
            {children}
          </main>
        </div>
      </div>
      <ToastRegion />
    </WorkspaceFilterProvider>
  );
}
