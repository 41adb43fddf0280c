/** The money of a prepaid workspace: what is there, topping up, adjusting, and how it came about (G-4). */
import { useState } from 'react';
import { api, type Shape } from '../../api/client.ts';
import { ApiTrouble } from '../../api/trouble.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Money } from '../../parts/figures.tsx';
import { formatMoney } from '../../parts/format.ts';
import { NumberField } from '../../parts/number-field.tsx';
import { Grid, Section } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Stat } from '../../parts/stat.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import { bodyOf, useChange, useObject } from '../access/use-objects.ts';
import { Entries } from './entries.tsx';
import { words } from './words.ts';

/** Nano-dollars that came as text. */
export function nanoOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}

/** The balance of a workspace; read again with every change of it. */
export function useBalance(workspace: string) {
  return useObject('balances', workspace, async () =>
    bodyOf(await api.GET('/admin/v1/workspaces/{id}/balance', { params: { path: { id: workspace } } })),
  );
}

export function Balance({ workspace }: { readonly workspace: string }) {
  const say = useSay(words);
  const { role } = useSession();
  const [doing, setDoing] = useState<'topup' | 'adjust' | null>(null);
  const read = useBalance(workspace);
  const balance = read.data;
  const mayChange = role === 'account_admin' && balance?.prepaid === true;
  return (
    <Section
      title={say('money')}
      actions={
        mayChange && (
          <>
            <Button onPress={() => setDoing('adjust')}>{say('adjust')}</Button>
            <Button kind="main" onPress={() => setDoing('topup')}>
              {say('topup')}
            </Button>
          </>
        )
      }
    >
      {read.error !== null && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.error === null && balance === undefined && <Skeleton lines={2} />}
      {balance?.prepaid === false && <p>{say('not_prepaid_text')}</p>}
      {balance?.prepaid === true && <Figures of={balance} />}
      {balance?.prepaid === true && <Entries workspace={workspace} />}
      {doing !== null && <ChangeBalance kind={doing} workspace={workspace} onClose={() => setDoing(null)} />}
    </Section>
  );
}

function Figures({ of }: { readonly of: Shape<'Balance'> }) {
  const say = useSay(words);
  const balance = nanoOf(of.balance_nano_usd);
  const isEmpty = balance !== null && balance <= 0;
  return (
    <>
      <Grid min={180}>
        <Stat label={say('balance')} value={<Money nano={balance} />} {...(isEmpty ? { tone: 'bad' as const } : {})} />
        <Stat
          label={say('available')}
          value={<Money nano={nanoOf(of.available_nano_usd)} />}
          note={say('available_hint')}
        />
      </Grid>
      {isEmpty && <p>{say('empty_balance')}</p>}
    </>
  );
}

interface ChangeBalanceProps {
  readonly kind: 'topup' | 'adjust';
  readonly workspace: string;
  readonly onClose: () => void;
}

function ChangeBalance({ kind, workspace, onClose }: ChangeBalanceProps) {
  const say = useSay(words);
  const language = useLanguage();
  const changing = useChange('balances');
  const [amount, setAmount] = useState<number | null>(null);
  const [note, setNote] = useState('');
  const book = async () => {
    if (amount === null || amount === 0) throw new ApiTrouble(400, say('amount_missing'));
    const body = {
      ...(kind === 'topup' ? { topup_usd: amount } : { adjust_usd: amount }),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    };
    const params = { path: { id: workspace } };
    const after = bodyOf(await changing(() => api.POST('/admin/v1/workspaces/{id}/balance', { params, body })));
    showDone(say('booked', { balance: formatMoney(nanoOf(after.balance_nano_usd), language) }));
  };
  return (
    <FormDialog
      title={say(kind === 'topup' ? 'topup_title' : 'adjust_title', { name: workspace })}
      open
      onClose={onClose}
      action={say(kind)}
      onSubmit={book}
    >
      <NumberField
        label={say('amount')}
        value={amount}
        onChange={setAmount}
        {...(kind === 'topup' ? { min: 0 } : { hint: say('amount_hint') })}
      />
      <TextField label={say('note')} hint={say('note_hint')} value={note} onChange={setNote} maxLength={500} />
      <p>{say('once')}</p>
    </FormDialog>
  );
}
