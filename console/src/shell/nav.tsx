/** The pages of the caller's role: a column beside the page, a drawer where it is narrow. */
import { useEffect, useRef } from 'react';
import { NavLink } from 'react-router';
import { NAV_GROUPS, PAGES } from '../pages.ts';
import { useSession } from '../session/session.ts';
import { useWords } from '../words/words.ts';
import { Icon } from './icons.tsx';
import styles from './nav.module.css';

/** From this width on it is a column beside the page (nav.module.css). */
const COLUMN = '(width >= 900px)';

export function Nav({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const say = useWords();
  const { role } = useSession();
  const close = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!open) return undefined;
    close.current?.focus();
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onClose();
    // A window made wide has no drawer that could be closed.
    const wide = window.matchMedia(COLUMN);
    wide.addEventListener('change', onClose);
    window.addEventListener('keydown', onKey);
    return () => {
      wide.removeEventListener('change', onClose);
      window.removeEventListener('keydown', onKey);
    };
  }, [open, onClose]);

  return (
    <>
      {open && <button type="button" className={styles.veil} tabIndex={-1} aria-hidden="true" onClick={onClose} />}
      <nav className={styles.nav} data-open={open} aria-label={say('nav.label')}>
        <div className={styles.head}>
          <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
            <rect className={styles.markGround} width="32" height="32" rx="7" />
            <path className={styles.markOuter} d="M9 8v9a7 7 0 0 0 14 0V8" />
            <path className={styles.markInner} d="M14 8v8.4a2 2 0 0 0 4 0V8" />
          </svg>
          <span className={styles.product}>{say('product')}</span>
          <button ref={close} type="button" className={styles.close} aria-label={say('nav.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
        {NAV_GROUPS.map((group) => {
          const pages = PAGES.filter(({ nav, roles }) => nav?.group === group && roles.includes(role));
          if (pages.length === 0) return null;
          return (
            <div key={group} className={styles.group}>
              <h2 className={styles.title} id={`nav-${group}`}>
                {say(`nav.${group}`)}
              </h2>
              <ul aria-labelledby={`nav-${group}`}>
                {pages.map(({ name, paths, title, nav }) => (
                  <li key={name}>
                    <NavLink
                      to={paths[0] ?? '/'}
                      end={paths[0] === '/'}
                      className={styles.link ?? ''}
                      onClick={onClose}
                    >
                      {nav && <Icon name={nav.icon} size={18} />}
                      <span>{say(title)}</span>
                    </NavLink>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
    </>
  );
}
