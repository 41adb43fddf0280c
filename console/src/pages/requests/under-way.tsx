/** What runs at this gateway now: how many, and on demand which. */
import { useState } from 'react';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Drawer } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { formatDuration } from '../../parts/format.ts';
import { useSay } from '../../words/words.ts';
import styles from './page.module.css';
import { words } from './words.ts';

const EVERY_MS = 2_000;

interface UnderWayProps {
  readonly workspace: string | null;
  readonly live: boolean;
}

export function UnderWay({ workspace, live }: UnderWayProps) {
  const say = useSay(words);
  const [open, setOpen] = useState(false);
  const running = query.useQuery('get', '/admin/v1/requests/running', undefined, {
    enabled: live || open,
    refetchInterval: EVERY_MS,
    retry: false,
  });
  const shown = (running.data?.data ?? []).filter((one) => workspace === null || one.workspace === workspace);
  const count = workspace === null ? (running.data?.total ?? 0) : shown.length;
  return (
    <>
      <Button kind="quiet" onPress={() => setOpen(true)}>
        {say('running.count', { count })}
      </Button>
      <Drawer title={say('running.title')} open={open} onClose={() => setOpen(false)}>
        <ErrorBox error={running.error} />
        {shown.length === 0 && <p>{say('running.none')}</p>}
        <ul className={styles.running}>
          {shown.map(({ id, requested_model, virtual_model, elapsed_ms, attempts, key }) => (
            <li key={id}>
              <Link to={`/requests/${encodeURIComponent(id)}`}>
                {virtual_model ?? requested_model ?? say('running.no_model')}
              </Link>
              <span className={styles.soft}>
                {[
                  key,
                  say('running.for', { ms: formatDuration(elapsed_ms) }),
                  say('running.attempts', { count: attempts.length }),
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      </Drawer>
    </>
  );
}
