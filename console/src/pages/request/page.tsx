/** One request: what happened in plain words, then its whole trace (O-5). */
import { Link, useParams } from 'react-router';
import { troubleOf } from '../../api/trouble.ts';
import { Button } from '../../parts/button.tsx';
import { JsonView } from '../../parts/code-block.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { IdText } from '../../parts/id-text.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { Attempts } from './attempts.tsx';
import { Candidates } from './candidates.tsx';
import { Circumstances, Facts } from './facts.tsx';
import { Headline, Marks } from './headline.tsx';
import styles from './page.module.css';
import { Running, RunningMarks } from './running.tsx';
import { shownAttempts } from './shown-attempt.ts';
import { Stages } from './stages.tsx';
import type { RequestRecord } from './story.ts';
import { useRequest } from './use-request.ts';
import { words } from './words.ts';

export default function RequestPage() {
  const say = useSay(words);
  const shared = useWords();
  const { id = '' } = useParams();
  const found = useRequest(id);
  const { data } = found;
  const missing = data === undefined && found.isError && troubleOf(found.error).status === 404;
  return (
    <Page
      title={shared('page.request')}
      back={<Link to="/requests">← {say('back')}</Link>}
      marks={
        data === undefined ? undefined : data.kind === 'over' ? (
          <Marks record={data.record} />
        ) : (
          <RunningMarks id={data.running.id} />
        )
      }
    >
      {missing ? (
        <Empty
          title={say('missing.title')}
          action={<Button onPress={() => void found.refetch()}>{shared('do.refresh')}</Button>}
        >
          <p>{say('missing.text', { id })}</p>
          <IdText text={id} name={say('id')} />
        </Empty>
      ) : (
        <ErrorBox error={data === undefined ? found.error : null} onRetry={() => void found.refetch()} />
      )}
      {found.isPending && <Skeleton lines={10} />}
      {data?.kind === 'running' && <Running running={data.running} />}
      {data?.kind === 'over' && <Over record={data.record} />}
    </Page>
  );
}

function Over({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const attempts = shownAttempts(record.at, record.attempts);
  return (
    <>
      <Headline record={record} />
      {attempts.length === 0 ? (
        <p className={styles.soft}>{say('part.no_call')}</p>
      ) : (
        <Section title={say(attempts.length > 1 ? 'part.attempts' : 'part.call')}>
          <Attempts attempts={attempts} took={record.latency_ms} requested={record.requested_model} />
        </Section>
      )}
      {record.stages.length > 0 && (
        <Section title={say('part.stages')}>
          <Stages record={record} />
        </Section>
      )}
      <div className={styles.columns}>
        <Facts record={record} />
        <div className={styles.column}>
          <Circumstances record={record} />
          {record.candidates.length > 0 && (
            <Section title={say('part.candidates')} about={say('part.candidates_about')}>
              <Candidates record={record} />
            </Section>
          )}
        </div>
      </div>
      <details className={styles.raw}>
        <summary>{say('part.raw')}</summary>
        <JsonView value={record} label={say('part.raw')} />
      </details>
    </>
  );
}
