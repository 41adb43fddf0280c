/** The decision tables, other decisions to try in them, and what those would have changed. */
import { useRef, useState } from 'react';
import { query } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page, Row, Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { CellDialog } from './cell-dialog.tsx';
import { DecisionTable, type Reference } from './decision-table.tsx';
import styles from './policies.module.css';
import { countCells, draftLines, NAMES, type Policy, type PolicyName, type RowName, withCell } from './table.ts';
import { type Judged, useJudge } from './use-judge.ts';
import { usePolicyDraft } from './use-policy-draft.ts';
import { WhatIfSection } from './what-if.tsx';
import { words } from './words.ts';

const FILTERS = ['against'] as const;
const REFERENCES = ['built_in', ...NAMES] as const satisfies readonly Reference[];

export default function PoliciesPage() {
  const say = useSay(words);
  const shared = useWords();
  const read = query.useQuery('get', '/admin/v1/policies', { params: { query: { limit: 100 } } });
  return (
    <Page title={shared('page.policies')} about={`${say('about')} ${say('about_file')}`}>
      {read.error !== null && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.data === undefined && read.error === null && <Skeleton lines={12} />}
      {read.data !== undefined && <Policies policies={read.data.data} />}
    </Page>
  );
}

function Policies({ policies }: { readonly policies: readonly Policy[] }) {
  const say = useSay(words);
  const { workspace } = useWorkspaceFilter();
  const { values, set } = useFilters(FILTERS);
  const [draft, setDraft] = usePolicyDraft();
  const [open, setOpen] = useState<{ readonly policy: PolicyName; readonly row: RowName } | null>(null);
  const [what, setWhat] = useState<Judged>(() => (countCells(draft) > 0 ? 'draft' : 'strict'));
  const judge = useJudge();
  const results = useRef<HTMLDivElement>(null);
  const cells = countCells(draft);
  const reference = REFERENCES.find((one) => one === values.against) ?? 'built_in';
  const question = { what, draft, workspace };
  const judgeDraft = () => {
    setWhat('draft');
    judge.mutate({ ...question, what: 'draft' });
    results.current?.scrollIntoView();
    results.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <WhatIfSection
        ref={results}
        question={question}
        cells={cells}
        onAsk={setWhat}
        onJudge={() => judge.mutate(question)}
        busy={judge.isPending}
        error={judge.error}
        answer={judge.data}
      />
      {cells > 0 && (
        <Section title={say('draft_lines')} about={say('draft_lines_about')}>
          <CodeBlock text={draftLines(policies, draft)} label={say('draft_lines')} />
        </Section>
      )}
      <Section
        title={say('table')}
        about={say('table_about')}
        actions={
          <Select
            label={say('compare')}
            options={REFERENCES.map((id) => ({
              id,
              label: id === 'built_in' ? say('compare_built_in') : say('compare_policy', { policy: id }),
            }))}
            value={reference}
            onChange={(id) => set({ against: id === 'built_in' ? '' : id })}
          />
        }
      >
        <DecisionTable
          policies={policies}
          draft={draft}
          reference={reference}
          onOpen={(policy, row) => setOpen({ policy, row })}
        />
      </Section>
      {open !== null && (
        <CellDialog
          policies={policies}
          policy={open.policy}
          row={open.row}
          draft={draft[open.policy]?.[open.row]}
          onApply={(steps) => {
            setDraft(withCell(draft, open.policy, open.row, steps));
            if (steps !== null) setWhat('draft');
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {cells > 0 && (
        <section className={styles.bar} aria-label={say('judge_draft')}>
          <p className={styles.barText}>{say('draft_cells', { count: cells })}</p>
          <Row>
            <Button small onPress={() => setDraft({})}>
              {say('draft_discard')}
            </Button>
            <Button small kind="main" isPending={judge.isPending} onPress={judgeDraft}>
              {say('draft_judge')}
            </Button>
          </Row>
        </section>
      )}
    </>
  );
}
