/** What would follow if every call failed in the same way: the engine's own answer, in virtual time. */
import { useState } from 'react';
import { formatDuration } from '../../../parts/format.ts';
import { Select } from '../../../parts/select.tsx';
import { useSay } from '../../../words/words.ts';
import { words } from '../words.ts';
import type { Plan } from './plan-marks.ts';
import styles from './preview.module.css';

const TRIGGERS = ['server_error', 'rate_limit', 'timeout', 'connection_error'] as const;
type Trigger = (typeof TRIGGERS)[number];

export function Walk({ plan }: { readonly plan: Plan }) {
  const say = useSay(words);
  const [by, setBy] = useState<Trigger>('server_error');
  const { attempts, ends } = plan.if_all_fail[by];
  return (
    <>
      <Select
        label={say('if_fails_by')}
        options={TRIGGERS.map((id) => ({ id, label: say(`if_${id}`) }))}
        value={by}
        onChange={(id) => setBy(id as Trigger)}
      />
      {attempts.length === 0 && <p className={styles.soft}>{say('walk_none')}</p>}
      <ol className={styles.targets}>
        {attempts.map(({ no, model, channel, credential, wait_ms, reason }) => (
          <li key={no} className={styles.target}>
            <span className={styles.place}>{no}</span>
            <span className={styles.model}>{model}</span>
            <span className={styles.way}>
              {channel}
              {credential !== null && ` · ${credential}`}
              {wait_ms > 0 && ` · ${say('walk_wait', { wait: formatDuration(wait_ms) })}`}
            </span>
            <span className={styles.reason}>{reason}</span>
          </li>
        ))}
      </ol>
      <p className={styles.ends}>
        {ends === null ? say('walk_ends_open') : say('walk_ends', { status: ends.status, code: ends.code ?? '' })}
      </p>
    </>
  );
}
