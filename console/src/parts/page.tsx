/** A page: its heading, what can be done, its filters, and what it shows. */
import { type ReactNode, useEffect } from 'react';
import { useWords } from '../words/words.ts';
import styles from './page.module.css';

export interface PageProps {
  readonly title: string;
  /** Under the title, one line. */
  readonly about?: ReactNode;
  /** Beside the title, for states: badges. */
  readonly marks?: ReactNode;
  /** Buttons on the right. */
  readonly actions?: ReactNode;
  readonly filters?: ReactNode;
  /** Where the page lies under another: a link back. */
  readonly back?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, about, marks, actions, filters, back, children }: PageProps) {
  const say = useWords();
  const words = `${title} · ${say('product')}`;
  useEffect(() => {
    document.title = words;
  }, [words]);
  return (
    <>
      {back !== undefined && <div className={styles.back}>{back}</div>}
      <div className={styles.head}>
        <div className={styles.words}>
          <h1 className={styles.title}>{title}</h1>
          {marks}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {about !== undefined && <p className={styles.about}>{about}</p>}
      {filters}
      <div className={styles.body}>{children}</div>
    </>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Without a frame: for tables and grids that have their own. */
  readonly bare?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, about, actions, bare = false, children }: SectionProps) {
  return (
    <section className={styles.section} data-bare={bare} aria-label={title}>
      <div className={styles.sectionHead}>
        <h2>{title}</h2>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {about !== undefined && <p className={styles.about}>{about}</p>}
      {children}
    </section>
  );
}

/** Children beside each other where there is room: at least `min` pixels wide each. */
export function Grid({ min = 280, children }: { readonly min?: number; readonly children: ReactNode }) {
  return (
    <div className={styles.grid} style={{ gridTemplateColumns: `repeat(auto-fit, minmax(min(100%, ${min}px), 1fr))` }}>
      {children}
    </div>
  );
}

/** Children in a row that wraps. */
export function Row({ children, end = false }: { readonly children: ReactNode; readonly end?: boolean }) {
  return (
    <div className={styles.row} data-end={end}>
      {children}
    </div>
  );
}

/** Children under each other. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}
