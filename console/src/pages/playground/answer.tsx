/** The answer, as far as it has come: its words, its head, its bytes. */
import { Badge } from '../../parts/badge.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Duration } from '../../parts/figures.tsx';
import { IdText } from '../../parts/id-text.tsx';
import { type Fact, KeyValue } from '../../parts/key-value.tsx';
import { Section, Stack } from '../../parts/page.tsx';
import { useSay, useWords } from '../../words/words.ts';
import styles from './playground.module.css';
import type { Answer } from './send.ts';
import { words } from './words.ts';

export function AnswerOf({ answer }: { readonly answer: Answer | null }) {
  const say = useSay(words);
  return (
    <Section title={say('answer')}>{answer === null ? <p>{say('answer_none')}</p> : <Shown answer={answer} />}</Section>
  );
}

function Shown({ answer }: { readonly answer: Answer }) {
  const say = useSay(words);
  const { text, raw, end, why } = answer;
  return (
    <Stack>
      {end === 'broken' && <p className={styles.bad}>{say('answer_broken')}</p>}
      {end === 'stopped' && <p className={styles.bad}>{say('stopped')}</p>}
      {end === 'lost' && <p className={styles.bad}>{say('lost', { why })}</p>}
      <div className={styles.text} aria-live="polite" data-testid="answer">
        {text !== '' ? text : end === null ? say('answer_waiting') : say('answer_empty')}
      </div>
      <Head answer={answer} />
      {raw !== '' && (
        <details>
          <summary>{say('raw')}</summary>
          <CodeBlock text={raw} label={say('raw')} wrap />
        </details>
      )}
    </Stack>
  );
}

function Head({ answer }: { readonly answer: Answer }) {
  const say = useSay(words);
  const shared = useWords();
  const { status, requestId, served, attempts, degraded, tookMs } = answer;
  if (status === null) return null;
  const facts: Fact[] = [
    {
      name: say('status'),
      value: <Badge tone={status < 400 ? 'ok' : 'bad'}>{String(status)}</Badge>,
    },
    ...(served === null ? [] : [{ name: say('served'), value: served }]),
    ...(attempts === null ? [] : [{ name: say('attempts'), value: attempts }]),
    ...(degraded === null || degraded === 'false' ? [] : [{ name: say('degraded'), value: shared('state.yes') }]),
    ...(tookMs === null ? [] : [{ name: say('took'), value: <Duration ms={tookMs} /> }]),
    ...(requestId === null ? [] : [{ name: shared('error.request'), value: <IdText text={requestId} /> }]),
  ];
  return <KeyValue facts={facts} />;
}
