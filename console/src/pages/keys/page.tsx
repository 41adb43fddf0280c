/** Client keys: made, limited, watched, revoked (G-8, G-11). */
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Count } from '../../parts/figures.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { formatNumber } from '../../parts/format.ts';
import { MenuItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useLanguage, useSay, useWords } from '../../words/words.ts';
import { useLimitWord } from '../access/limits.tsx';
import { useManagedColumns, useNameColumns } from '../access/managed.tsx';
import { NewSecret } from '../access/new-secret.tsx';
import { ObjectTable } from '../access/object-table.tsx';
import { bodyOf, useObjects } from '../access/use-objects.ts';
import { toneOf, UsedShare } from '../access/used-limit.tsx';
import { LiftKey, RevokeKey } from './key-deeds.tsx';
import { KeyDetails } from './key-details.tsx';
import { KeyForm } from './key-form.tsx';
import { keyBadge, troubleOfKey } from './key-state.tsx';
import { callsPerRequest, type Key, type KeySum, tightest, useKeySums } from './key-use.ts';
import { words } from './words.ts';

type Doing =
  | { readonly what: 'create' }
  | { readonly what: 'edit' | 'lift' | 'revoke'; readonly key: Key }
  | { readonly what: 'show'; readonly name: string; readonly secret: string };

/** Whose details are open: in the address, so that it can be sent to others. */
const NAMES = ['show'] as const;

export default function KeysPage() {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const { workspace } = useWorkspaceFilter();
  const { values, set, clear } = useFilters(NAMES);
  const [doing, setDoing] = useState<Doing | null>(null);
  const keys = useObjects('keys', workspace, async (page) =>
    bodyOf(await api.GET('/admin/v1/keys', { params: { query: page } })),
  );
  const sums = useKeySums(workspace);
  const columns = useColumns(sums);
  const close = () => setDoing(null);
  const shown = keys.rows?.find(({ name }) => name === values.show);
  const create = (
    <Button kind="main" icon="plus" onPress={() => setDoing({ what: 'create' })}>
      {say('create')}
    </Button>
  );
  const form = doing?.what === 'create' || doing?.what === 'edit' ? doing : null;
  return (
    <Page title={shared('page.keys')} about={say('about')} actions={create}>
      <ObjectTable
        label={shared('page.keys')}
        objects={keys}
        columns={columns}
        link={({ name }) => `/keys?show=${encodeURIComponent(name)}`}
        tone={toneOfKey}
        menu={(key) => (
          <KeyMenu
            of={key}
            mayLift={role === 'account_admin'}
            onShow={() => set({ show: key.name })}
            onDo={(what) => setDoing({ what, key })}
          />
        )}
        empty={
          <Empty title={say('none')} action={create}>
            {say('none_text')}
          </Empty>
        }
      />
      {shown !== undefined && (
        <KeyDetails
          of={shown}
          sum={sums.get(shown.name)}
          onLift={() => setDoing({ what: 'lift', key: shown })}
          onClose={clear}
        />
      )}
      {form !== null && (
        <KeyForm
          of={form.what === 'edit' ? form.key : null}
          workspace={workspace ?? 'default'}
          onClose={() => setDoing((now) => (now?.what === 'show' ? now : null))}
          onMade={(name, secret) => setDoing({ what: 'show', name, secret })}
        />
      )}
      {doing?.what === 'lift' && <LiftKey of={doing.key} onClose={close} />}
      {doing?.what === 'revoke' && <RevokeKey of={doing.key} onClose={close} />}
      {doing?.what === 'show' && (
        <NewSecret
          title={say('made', { name: doing.name })}
          label={say('secret')}
          secret={doing.secret}
          onClose={close}
        >
          {say('made_text', { address: `${window.location.origin}/v1` })}
        </NewSecret>
      )}
    </Page>
  );
}

/** A key that is not served needs eyes; one that soon will be refused, too. */
function toneOfKey(key: Key): 'bad' | 'warn' | undefined {
  const trouble = troubleOfKey(key, serverNow());
  const limit = tightest(key);
  const used = limit === null ? undefined : toneOf(limit.used, limit.most);
  if (used === 'bad' || trouble === 'banned' || trouble === 'expired') return 'bad';
  return trouble === null ? used : 'warn';
}

interface KeyMenuProps {
  readonly of: Key;
  readonly mayLift: boolean;
  readonly onShow: () => void;
  readonly onDo: (what: 'edit' | 'lift' | 'revoke') => void;
}

function useColumns(sums: ReadonlyMap<string, KeySum>): readonly Column<Key>[] {
  const say = useSay(words);
  const names = useNameColumns<Key>();
  const managed = useManagedColumns<Key>((key) => keyBadge(key, (trouble) => say(`state.${trouble}`)));
  return [
    ...names,
    {
      id: 'used',
      header: say('used'),
      cell: (key) => <UsedOf of={key} />,
      sort: (key) => {
        const limit = tightest(key);
        return limit === null ? key.usage.day.requests / 1e12 : limit.used / limit.most;
      },
    },
    {
      id: 'calls',
      header: say('calls'),
      cell: ({ name }) => (
        <span title={say('calls_hint')}>
          <Count value={callsPerRequest(sums.get(name))} digits={2} />
        </span>
      ),
      sort: ({ name }) => callsPerRequest(sums.get(name)),
      align: 'end',
    },
    ...managed,
  ];
}

/** The limit that will refuse first; without limits what it did today. */
function UsedOf({ of: key }: { readonly of: Key }) {
  const say = useSay(words);
  const language = useLanguage();
  const limitWord = useLimitWord();
  const limit = tightest(key);
  const { requests } = key.usage.day;
  if (limit === null) return <>{say('used.today', { count: requests, n: formatNumber(requests, language) })}</>;
  return <UsedShare used={limit.used} most={limit.most} of={limitWord(limit.name)} />;
}

function KeyMenu({ of: key, mayLift, onShow, onDo }: KeyMenuProps) {
  const say = useSay(words);
  const shared = useWords();
  const stored = key.managed_by === 'store';
  return (
    <>
      <MenuItem onAction={onShow}>{say('details')}</MenuItem>
      {mayLift && key.breaker.state !== 'ok' && <MenuItem onAction={() => onDo('lift')}>{say('lift')}</MenuItem>}
      {stored && <MenuItem onAction={() => onDo('edit')}>{shared('do.edit')}</MenuItem>}
      {stored && (
        <MenuItem danger onAction={() => onDo('revoke')}>
          {say('revoke')}
        </MenuItem>
      )}
    </>
  );
}
