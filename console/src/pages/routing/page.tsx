/** Models and routing of one workspace, and a preview of where a request of its would go. */
import { useMemo } from 'react';
import { query } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Page } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { Chains } from './chains.tsx';
import { ChannelOrder } from './channel-order.tsx';
import { CredentialOrder } from './credential-order.tsx';
import { AUTO, type Draft } from './draft.ts';
import { Models } from './models.tsx';
import { Preview } from './preview/preview.tsx';
import { useQuestion } from './preview/question.ts';
import styles from './routing.module.css';
import { FileNotice, SaveBar } from './save-bar.tsx';
import { useWorkspaceDraft } from './use-draft.ts';
import { type Model, useModels } from './use-models.ts';
import { useRoutedWorkspace } from './use-routed-workspace.ts';
import { words } from './words.ts';

export default function RoutingPage() {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const { names, name, isOpen, choose, error, retry } = useRoutedWorkspace();
  return (
    <Page
      title={shared('page.routing')}
      about={say('about')}
      marks={name === null ? undefined : <Badge plain>{name}</Badge>}
      actions={
        role === 'account_admin' && isOpen && names !== undefined && name !== null ? (
          <Select
            label={say('workspace')}
            hideLabel
            options={names.map((id) => ({ id, label: id }))}
            value={name}
            onChange={choose}
          />
        ) : undefined
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={retry} />}
      {error === null && name === null && <Skeleton lines={8} />}
      {name !== null && <RoutingOf key={name} name={name} />}
    </Page>
  );
}

function RoutingOf({ name }: { readonly name: string }) {
  const say = useSay(words);
  const { role } = useSession();
  const draft = useWorkspaceDraft(name);
  const models = useModels();
  const keys = query.useQuery('get', '/admin/v1/keys', { params: { query: { workspace: name, limit: 1000 } } });
  const known = models.data?.models;
  const options = useMemo(() => optionsOf(known ?? []), [known]);
  const keyNames = keys.data?.data.map((key) => key.name);
  const asked = useQuestion({
    key: keyNames?.[0] ?? '',
    model: draft.draft && known ? firstModel(draft.draft, known) : '',
  });
  const error = draft.error ?? models.error ?? keys.error;
  if (error !== null) {
    const again = () => {
      draft.reload();
      void models.refetch();
      void keys.refetch();
    };
    return <ErrorBox error={error} onRetry={again} />;
  }
  if (draft.workspace === undefined || draft.draft === undefined || known === undefined) return <Skeleton lines={8} />;
  const ask = (model: string) => asked.set({ model, fallback: '' });
  return (
    <>
      {draft.workspace.problem !== null && <Badge tone="bad">{say('problem', { why: draft.workspace.problem })}</Badge>}
      <div className={styles.columns} data-bar={draft.changes !== null || draft.last !== null}>
        <div className={styles.left}>
          <FileNotice draft={draft} />
          <Chains draft={draft.draft} change={draft.change} models={options} onPreview={ask} />
          <ChannelOrder draft={draft.draft} change={draft.change} />
          <CredentialOrder workspace={name} onSaved={draft.look} />
          {role === 'account_admin' && <CredentialOrder workspace={null} onSaved={draft.look} />}
          <Models workspace={name} models={known} draft={draft.draft} change={draft.change} />
        </div>
        <div className={styles.right}>
          <Preview
            asked={asked}
            draft={draft}
            keys={keyNames}
            first={[...namesOf(draft.draft, say('virtual_note')), ...options]}
            models={options}
          />
        </div>
      </div>
      <SaveBar draft={draft} />
    </>
  );
}

function optionsOf(models: readonly Model[]) {
  return models.filter(({ wildcard }) => !wildcard).map(({ id }) => ({ id, label: id }));
}

/** Names that stand for lists of models. */
function namesOf({ auto, virtual_models: virtual }: Draft, note: string) {
  const names = [...(auto.length === 0 ? [] : [AUTO]), ...Object.keys(virtual)];
  return names.map((id) => ({ id, label: id, note }));
}

/** What is asked about where the address names no model. */
function firstModel({ auto, virtual_models: virtual, default_model }: Draft, models: readonly Model[]): string {
  const [name] = Object.keys(virtual);
  return auto.length > 0 ? AUTO : (name ?? default_model ?? models.find(({ wildcard }) => !wildcard)?.id ?? '');
}
