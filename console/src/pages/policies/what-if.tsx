/** „What the last 24 hours would have done“: the question, and what came out. */
import { forwardRef } from 'react';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Count, Time } from '../../parts/figures.tsx';
import { formatInstant, formatNumber } from '../../parts/format.ts';
import { Grid, Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Stat } from '../../parts/stat.tsx';
import { useLanguage, useSay } from '../../words/words.ts';
import styles from './policies.module.css';
import { NAMES, type PolicyName } from './table.ts';
import type { JudgeAnswer, Judged, JudgeQuestion, WhatIf } from './use-judge.ts';
import { WhatIfRows } from './what-if-rows.tsx';
import { words } from './words.ts';

export interface WhatIfProps {
  readonly question: JudgeQuestion;
  readonly cells: number;
  readonly onAsk: (what: Judged) => void;
  readonly onJudge: () => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly answer: JudgeAnswer | undefined;
}

export const WhatIfSection = forwardRef<HTMLDivElement, WhatIfProps>(function WhatIfSection(props, ref) {
  const { question, cells, onAsk, onJudge, busy, error, answer } = props;
  const say = useSay(words);
  const nothing = question.what === 'draft' && cells === 0;
  const stale = answer !== undefined && JSON.stringify(answer.question) !== JSON.stringify(question);
  return (
    <div ref={ref} tabIndex={-1} className={styles.judge}>
      <Section title={say('judge')} about={say('judge_about')}>
        <div className={styles.ask}>
          <Select
            label={say('judge_what')}
            options={[
              { id: 'draft', label: say(cells === 0 ? 'judge_draft_none' : 'judge_draft') },
              ...NAMES.map((policy) => ({ id: policy, label: say('judge_policy', { policy }) })),
            ]}
            value={question.what}
            onChange={(id) => onAsk(id as Judged)}
          />
          <Button kind="main" isDisabled={nothing} isPending={busy} onPress={onJudge}>
            {say(busy ? 'judge_busy' : 'judge_go')}
          </Button>
        </div>
        {answer === undefined && error === null && !busy && <p className={styles.note}>{say('judge_hint')}</p>}
        <ErrorBox error={error} onRetry={onJudge} />
        {stale && !busy && <p className={styles.stale}>{say('judge_stale')}</p>}
        <div aria-live="polite" className={styles.answers}>
          {answer?.answers.map((one) => (
            <Answer
              key={one.policy}
              policy={one.policy}
              answer={one.answer}
              isDraft={answer.question.what === 'draft'}
              workspace={answer.question.workspace}
            />
          ))}
        </div>
      </Section>
    </div>
  );
});

interface AnswerProps {
  readonly policy: PolicyName;
  readonly answer: WhatIf;
  readonly isDraft: boolean;
  readonly workspace: string | null;
}

function Answer({ policy, answer, isDraft, workspace }: AnswerProps) {
  const say = useSay(words);
  const language = useLanguage();
  const { requests, replayed, changed, partial, oldest_at, by_cell: rows } = answer;
  const lost = rows.reduce((sum, { would, outcomes }) => sum + (would === 'stop' ? outcomes.success : 0), 0);
  const more = rows.reduce((sum, row) => sum + (row.was === 'stop' && row.would !== 'stop' ? row.requests : 0), 0);
  const asides = [
    ['sum_not', answer.not_replayable],
    ['sum_undecided', answer.undecided],
    ['sum_other_error', answer.other_error],
  ] as const;
  const instant = (at: string) => formatInstant(Date.parse(at), language);
  return (
    <div className={styles.answer}>
      <h3>
        {say(isDraft ? 'judge_of_draft' : 'judge_of_policy', { policy })}
        {workspace !== null && ` · ${say('judge_workspace', { workspace })}`}
      </h3>
      <p className={styles.note}>
        {say('judge_span', { from: instant(answer.from), to: instant(answer.to) })}
        {partial && oldest_at !== null && (
          <>
            {' · '}
            {say('judge_partial')} <Time at={oldest_at} exact />
          </>
        )}
      </p>
      {requests === 0 ? (
        <Empty title={say('judge_nothing')} />
      ) : (
        <>
          <Grid min={190}>
            <Stat
              label={say('sum_lost')}
              value={<Count value={lost} />}
              note={say('sum_lost_note')}
              {...(lost > 0 ? { tone: 'bad' as const } : {})}
            />
            <Stat label={say('sum_more')} value={<Count value={more} />} note={say('sum_more_note')} />
            <Stat label={say('sum_changed')} value={<Count value={changed} />} />
            <Stat
              label={say('sum_looked')}
              value={<Count value={requests} />}
              note={say('sum_looked_note', { n: formatNumber(replayed, language) })}
            />
          </Grid>
          {rows.length === 0 ? <p>{say('judge_same')}</p> : <WhatIfRows rows={rows} />}
          {asides.map(
            ([key, n]) =>
              n > 0 && (
                <p key={key} className={styles.note}>
                  {say(key, { n: formatNumber(n, language) })}
                </p>
              ),
          )}
        </>
      )}
    </div>
  );
}
