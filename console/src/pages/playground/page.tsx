/** The playground: one request in any dialect, failures on purpose, and the trace as it grows (X-4, O-5). */
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { AnswerOf } from './answer.tsx';
import { draftOf, orderOf } from './draft.ts';
import { OrderForm } from './order-form.tsx';
import styles from './playground.module.css';
import { TraceOf } from './trace.tsx';
import { usePlay } from './use-play.ts';
import { words } from './words.ts';

export default function PlaygroundPage() {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const { workspace } = useWorkspaceFilter();
  const [params] = useSearchParams();
  const [draft, setDraft] = useState(() => draftOf(params, say('text_first'), workspace ?? 'default'));
  const play = usePlay();
  // A workspace's admin makes keys of its own workspace, without naming it.
  const send = () => play.start(orderOf(draft), role === 'account_admin' ? draft.workspace.trim() || null : null);
  return (
    <Page title={shared('page.playground')} about={say('about')}>
      <div className={styles.columns}>
        <OrderForm
          draft={draft}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
          busy={play.busy}
          onSend={send}
          onStop={play.stop}
        />
        <div className={styles.results}>
          {play.trouble !== null && (
            <ErrorBox error={play.trouble}>
              <p>{say('key_failed')}</p>
            </ErrorBox>
          )}
          <AnswerOf answer={play.answer} />
          <TraceOf id={play.traceId} endedAt={play.endedAt} />
        </div>
      </div>
    </Page>
  );
}
