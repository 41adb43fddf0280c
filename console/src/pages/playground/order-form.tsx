/** What is asked, of whom, and what shall fail on purpose. */
import { query } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { ComboBox } from '../../parts/combo-box.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Switch } from '../../parts/switch.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSession } from '../../session/session.ts';
import { useSay } from '../../words/words.ts';
import { WorkspaceField } from '../access/workspace-field.tsx';
import { DIALECTS } from './dialects.ts';
import type { Draft } from './draft.ts';
import styles from './playground.module.css';
import { FAULTS, MOST_TIMES } from './rehearsal.ts';
import { words } from './words.ts';

const POLICIES = ['standard', 'strict', 'permissive'] as const;
const OWN = 'own';

export interface OrderFormProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
  readonly busy: boolean;
  readonly onSend: () => void;
  readonly onStop: () => void;
}

export function OrderForm({ draft, onChange, busy, onSend, onStop }: OrderFormProps) {
  const say = useSay(words);
  const { role } = useSession();
  const { dialect, models, text, stream, policy, fault, times, workspace } = draft;
  const options = useModelOptions();
  const model = (index: number, label: string) => (
    <ComboBox
      label={label}
      options={options}
      value={models[index] ?? ''}
      onChange={(name) => onChange({ models: models.map((known, n) => (n === index ? name : known)) })}
      free
    />
  );
  return (
    <Section title={say('form')}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) onSend();
        }}
      >
        <Select
          label={say('dialect')}
          options={DIALECTS.map((id) => ({ id, label: say(`dialect_${id}`) }))}
          value={dialect}
          onChange={(id) => onChange({ dialect: DIALECTS.find((one) => one === id) ?? dialect })}
        />
        {model(0, say('model'))}
        <div className={styles.pair}>
          {model(1, say('cover', { no: 1 }))}
          {model(2, say('cover', { no: 2 }))}
        </div>
        <TextField label={say('text')} value={text} onChange={(next) => onChange({ text: next })} lines={2} />
        <Select
          label={say('fault')}
          options={FAULTS.map((id) => ({ id, label: say(`fault_${id}`) }))}
          value={fault}
          onChange={(id) => onChange({ fault: FAULTS.find((one) => one === id) ?? fault })}
        />
        {fault !== 'none' && (
          <NumberField
            label={say('times')}
            hint={say('fault_note')}
            value={times}
            onChange={(next) => onChange({ times: next ?? 1 })}
            min={1}
            max={MOST_TIMES}
            step={1}
          />
        )}
        <div className={styles.pair}>
          <Select
            label={say('policy')}
            options={[{ id: OWN, label: say('policy_own') }, ...POLICIES.map((id) => ({ id, label: id }))]}
            value={policy ?? OWN}
            onChange={(id) => onChange({ policy: id === OWN ? null : id })}
          />
          {role === 'account_admin' && (
            <WorkspaceField value={workspace} onChange={(name) => onChange({ workspace: name })} />
          )}
        </div>
        <Switch on={stream} onChange={(on) => onChange({ stream: on })}>
          {say('stream')}
        </Switch>
        {/* Keys: the click that stops must not find the button that sends in its place. */}
        {busy ? (
          <Button key="stop" icon="stop" onPress={onStop}>
            {say('stop')}
          </Button>
        ) : (
          <Button key="send" kind="main" type="submit" icon="playground" isDisabled={(models[0] ?? '').trim() === ''}>
            {say('send')}
          </Button>
        )}
        <p className={styles.note}>{say('key_note')}</p>
      </form>
    </Section>
  );
}

/** As many names as a list is looked through for; any other can be typed. */
const MOST_MODELS = 1000;

function useModelOptions(): readonly { readonly id: string; readonly label: string }[] {
  const models = query.useQuery('get', '/admin/v1/models', { params: { query: { limit: MOST_MODELS } } });
  return (models.data?.data ?? []).map(({ id }) => ({ id, label: id }));
}
