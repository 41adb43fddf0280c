/** The bar on top: which workspace, a request by its id, theme, language, account. */
import { type FormEvent, type Ref, useState } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '../session/session.ts';
import { useWords } from '../words/words.ts';
import { AccountMenu } from './account-menu.tsx';
import { Icon } from './icons.tsx';
import styles from './top-bar.module.css';
import { WorkspaceSelect } from './workspace-select.tsx';

export interface TopBarProps {
  /** The button that opens the navigation where it is a drawer. */
  readonly menu: Ref<HTMLButtonElement>;
  readonly onMenu: () => void;
}

export function TopBar({ menu, onMenu }: TopBarProps) {
  const say = useWords();
  const { role } = useSession();
  return (
    <header className={styles.bar}>
      <button ref={menu} type="button" className={styles.menu} aria-label={say('nav.open')} onClick={onMenu}>
        <Icon name="menu" />
      </button>
      {role === 'account_admin' && (
        <div className={styles.workspace}>
          <WorkspaceSelect />
        </div>
      )}
      <span className={styles.space} />
      {role !== 'member' && <FindRequest />}
      <AccountMenu />
    </header>
  );
}

/** An id from a log or a header opens that request. */
function FindRequest() {
  const say = useWords();
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    const wanted = id.trim();
    if (wanted === '') return;
    setId('');
    void navigate(`/requests/${encodeURIComponent(wanted)}`);
  };
  return (
    <search className={styles.search}>
      <form className={styles.find} onSubmit={find}>
        <Icon name="search" size={16} />
        <input
          className={styles.input}
          value={id}
          onChange={(event) => setId(event.target.value)}
          placeholder={say('top.find')}
          aria-label={say('top.find')}
          maxLength={200}
          spellCheck={false}
          autoComplete="off"
          enterKeyHint="go"
        />
      </form>
    </search>
  );
}
