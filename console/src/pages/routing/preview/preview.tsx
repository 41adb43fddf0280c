/** „This request would go here“: asked of the gateway for what it has, and for the draft where that can be said. */

import { Badge } from '../../../parts/badge.tsx';
import { Button, LinkButton } from '../../../parts/button.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { ErrorBox } from '../../../parts/error-box.tsx';
import { Section } from '../../../parts/page.tsx';
import type { Option } from '../../../parts/select.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { useSay } from '../../../words/words.ts';
import type { WorkspaceDraft } from '../use-draft.ts';
import { words } from '../words.ts';
import type { Plan } from './plan-marks.ts';
import styles from './preview.module.css';
import { type AskedQuestion, draftEffect } from './question.ts';
import { QuestionForm } from './question-form.tsx';
import { Resolved } from './resolved.tsx';
import { LeftOutList, TargetList } from './target-list.tsx';
import { usePlan, usePlanBefore } from './use-plan.ts';
import { Verdict } from './verdict.tsx';
import { Walk } from './walk.tsx';

export interface PreviewProps {
  readonly asked: AskedQuestion;
  readonly draft: WorkspaceDraft;
  /** Names of the workspace's client keys; undefined while they are still coming. */
  readonly keys: readonly string[] | undefined;
  readonly first: readonly Option[];
  readonly models: readonly Option[];
}

export function Preview({ asked, draft, keys, first, models }: PreviewProps) {
  const say = useSay(words);
  if (keys === undefined) return <Skeleton lines={6} />;
  return (
    <Section title={say('preview')} about={say('preview_about')}>
      {keys.length === 0 ? (
        <Empty title={say('preview_no_keys')} action={<LinkButton to="/keys">{say('preview_make_key')}</LinkButton>} />
      ) : (
        <>
          <QuestionForm asked={asked} keys={keys} first={first} models={models} />
          <Answer asked={asked} draft={draft} />
        </>
      )}
    </Section>
  );
}

function Answer({ asked: { question }, draft }: Pick<PreviewProps, 'asked' | 'draft'>) {
  const say = useSay(words);
  const now = usePlan(question, question.chain, draft.revision);
  const was = usePlanBefore(question, draft.against);
  const effect =
    draft.base && draft.draft
      ? draftEffect(question, draft.base, draft.draft, now.data ?? null)
      : { kind: 'none' as const };
  const drafted = usePlan(question, effect.kind === 'chain' ? effect.chain : null, draft.revision);
  const isDraft = effect.kind === 'chain';
  const asking = isDraft ? drafted : now;
  const before = isDraft ? (now.data ?? null) : was;
  return (
    <div className={styles.answers} aria-busy={asking.isFetching}>
      <div className={styles.again}>
        {isDraft && <Badge tone="warn">{say('with_draft')}</Badge>}
        <Button
          small
          icon="refresh"
          onPress={() => {
            void now.refetch();
            if (isDraft) void drafted.refetch();
          }}
        >
          {say(asking.isFetching ? 'preview_asking' : 'preview_again')}
        </Button>
      </div>
      {draft.changes !== null && effect.kind === 'none' && <p className={styles.soft}>{say('draft_none')}</p>}
      {effect.kind === 'after_saving' && <p className={styles.note}>{say('draft_after_saving')}</p>}
      {asking.error !== null && <ErrorBox error={asking.error} onRetry={() => void asking.refetch()} />}
      {asking.error === null && asking.data === undefined && <Skeleton lines={4} />}
      {asking.error === null && asking.data !== undefined && (
        <PlanView plan={asking.data} before={before} isDraft={isDraft} />
      )}
    </div>
  );
}

interface PlanViewProps {
  readonly plan: Plan;
  readonly before: Plan | null;
  readonly isDraft: boolean;
}

function PlanView({ plan, before, isDraft }: PlanViewProps) {
  const say = useSay(words);
  const leftOut = plan.left_out.length;
  return (
    <>
      <Verdict plan={plan} before={before} isDraft={isDraft} />
      {plan.targets.length > 0 && <h3>{say('targets')}</h3>}
      <TargetList plan={plan} before={before} />
      <h3>
        {say('left_out')} {leftOut > 0 && <Badge plain>{leftOut}</Badge>}
      </h3>
      <LeftOutList plan={plan} />
      <details className={styles.more}>
        <summary>{say('if_fails')}</summary>
        <div className={styles.options}>
          <Walk plan={plan} />
        </div>
      </details>
      <details className={styles.more}>
        <summary>{say('facts')}</summary>
        <div className={styles.options}>
          <Resolved plan={plan} />
        </div>
      </details>
    </>
  );
}
