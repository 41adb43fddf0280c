/** The order in which credentials are tried: a workspace's own, and for account admins the operator's (P-1). */
import { useState } from 'react';
import { Link } from 'react-router';
import { api, query, type Shape } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Row, Section } from '../../parts/page.tsx';
import { ReorderList } from '../../parts/reorder-list.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { showDone, showTrouble } from '../../parts/toast.tsx';
import { yamlText } from '../../parts/yaml-text.ts';
import { useSay, useWords } from '../../words/words.ts';
import styles from './routing.module.css';
import { words } from './words.ts';

type Credential = Shape<'Credential'>;
/** Workspace admins can have a hundred; of more than this the rest would be missing, and the gateway refuses a part. */
const MOST = 1000;

export interface CredentialOrderProps {
  /** Null = the operator's. */
  readonly workspace: string | null;
  /** After another order is saved. */
  readonly onSaved: () => void;
}

export function CredentialOrder({ workspace, onSaved }: CredentialOrderProps) {
  const say = useSay(words);
  const shared = useWords();
  const parameters = { limit: MOST, ...(workspace === null ? {} : { workspace }) };
  const read = query.useQuery('get', '/admin/v1/credentials', { params: { query: parameters } });
  const found = read.data?.data.filter(({ kind }) => kind === (workspace === null ? 'platform' : 'byok'));
  const [before, setBefore] = useState<readonly string[] | null>(null);
  const takeBack = async (names: readonly string[]) => {
    try {
      await reorder(workspace, names);
      setBefore(null);
      showDone(say('undone_toast'));
      onSaved();
    } catch (thrown) {
      showTrouble(thrown);
    }
  };
  return (
    <Section
      title={say(workspace === null ? 'platform' : 'byok')}
      about={say(workspace === null ? 'platform_about' : 'byok_about')}
      actions={<Link to="/credentials">{say('credential_link')}</Link>}
    >
      {read.error !== null && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {found === undefined && read.error === null && <Skeleton lines={2} />}
      {found?.length === 0 && <p className={styles.soft}>{say(workspace === null ? 'platform_none' : 'byok_none')}</p>}
      {found !== undefined && found.length > 0 && (
        <OrderList
          key={versions(found)}
          found={inOrder(found)}
          workspace={workspace}
          onSaved={(before) => {
            setBefore(before);
            onSaved();
          }}
        />
      )}
      {before !== null && (
        <div className={styles.barRow}>
          <p>{say('saved')}</p>
          <Button small onPress={() => void takeBack(before)}>
            {shared('do.undo')}
          </Button>
        </div>
      )}
    </Section>
  );
}

/** Sets the order, and has everybody read the credentials anew. */
async function reorder(workspace: string | null, names: readonly string[]): Promise<void> {
  const body = { names: [...names], ...(workspace === null ? {} : { workspace }) };
  await api.POST('/admin/v1/credentials/reorder', { body });
  await queryClient.invalidateQueries({ queryKey: ['get', '/admin/v1/credentials'] });
}

/** As the gateway tries them: by number, equals by name. */
function inOrder(found: readonly Credential[]): readonly Credential[] {
  return [...found].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}

const versions = (found: readonly Credential[]): string =>
  found.map(({ name, version }) => `${name} ${version}`).join();

interface OrderListProps {
  readonly found: readonly Credential[];
  readonly workspace: string | null;
  /** With the order as it was. */
  readonly onSaved: (before: readonly string[]) => void;
}

function OrderList({ found, workspace, onSaved }: OrderListProps) {
  const say = useSay(words);
  const [order, setOrder] = useState<readonly Credential[]>(found);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const changed = order.some(({ name }, index) => name !== found[index]?.name);
  const onlyFile = found.every(({ managed_by }) => managed_by === 'file');
  const someFile = found.some(({ managed_by }) => managed_by === 'file');
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      const before = found.map(({ name }) => name);
      await reorder(
        workspace,
        order.map(({ name }) => name),
      );
      showDone(say('credential_saved'));
      onSaved(before);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <ReorderList
        label={say(workspace === null ? 'platform' : 'byok')}
        items={order}
        itemId={({ name }) => name}
        itemName={({ name }) => name}
        onChange={setOrder}
        disabled={found.length === 1}
      >
        {({ name, provider, order: number, managed_by, problem }) => (
          <span className={styles.item}>
            <span className={styles.itemName}>{name}</span>
            <span className={styles.soft}>
              {provider} · {say('credential_order', { order: number })}
            </span>
            {managed_by === 'file' && <Badge plain>{say('credential_file')}</Badge>}
            {problem !== null && <Badge tone="bad">{problem}</Badge>}
          </span>
        )}
      </ReorderList>
      {someFile && !onlyFile && <p className={styles.soft}>{say('credential_file_note')}</p>}
      <ErrorBox error={error} />
      {changed && onlyFile && (
        <>
          <p>{say('credential_only_file')}</p>
          <CodeBlock text={orderLines(order)} label={say('file_lines')} />
        </>
      )}
      {changed && (
        <Row end>
          <Button isDisabled={busy} onPress={() => setOrder(found)}>
            {say('discard')}
          </Button>
          {!onlyFile && (
            <Button kind="main" isPending={busy} onPress={() => void save()}>
              {say('credential_save')}
            </Button>
          )}
        </Row>
      )}
    </>
  );
}

function orderLines(order: readonly Credential[]): string {
  return yamlText({
    credentials: Object.fromEntries(order.map(({ name }, index) => [name, { order: index }])),
  });
}
