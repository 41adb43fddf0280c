/** The rules of a workspace: what it may not use, how its requests are kept going, who shares idempotency keys. */
import { Grid } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Switch } from '../../parts/switch.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import styles from '../access/access.module.css';
import { JsonField } from '../access/json-field.tsx';
import { LinesField } from '../access/text-lists.tsx';
import { type Draft, PRIVACY, SCOPES } from './draft.ts';
import { words } from './words.ts';

export interface FieldsProps {
  readonly draft: Draft;
  readonly put: (changes: Partial<Draft>) => void;
}

const LISTS = ['deny_models', 'deny_channels', 'allow_regions', 'deny_regions'] as const;

/** What also a workspace's admin may change. */
export function RuleFields({ draft, put }: FieldsProps) {
  const say = useSay(words);
  return (
    <>
      <fieldset className={styles.group}>
        <legend>{say('guardrails')}</legend>
        <Grid min={260}>
          {LISTS.map((field) => (
            <LinesField
              key={field}
              label={say(field)}
              value={draft[field]}
              onChange={(text) => put({ [field]: text })}
            />
          ))}
        </Grid>
        <Select
          label={say('max_privacy')}
          options={PRIVACY.map((id) => ({ id, label: say(`privacy.${id}`) }))}
          value={draft.max_privacy}
          onChange={(next) => put({ max_privacy: PRIVACY.find((one) => one === next) ?? 'any' })}
        />
      </fieldset>
      <JsonField
        label={say('redundancy')}
        hint={say('redundancy_hint')}
        value={draft.redundancy}
        onChange={(redundancy) => put({ redundancy })}
      />
      <Switch on={draft.auto_idempotency} onChange={(on) => put({ auto_idempotency: on })}>
        {say('auto_idempotency')}
      </Switch>
      <Select
        label={say('scope')}
        options={SCOPES.map((id) => ({ id, label: say(`scope.${id}`) }))}
        value={draft.scope}
        onChange={(next) => put({ scope: SCOPES.find((one) => one === next) ?? 'key' })}
      />
    </>
  );
}

/** Whether answers are kept (E-4). */
export function AnswerFields({ draft, put }: FieldsProps) {
  const say = useSay(words);
  return (
    <fieldset className={styles.group}>
      <legend>{say('answers')}</legend>
      <Switch on={draft.keep} onChange={(keep) => put({ keep })}>
        {say('keep_answers')}
      </Switch>
      {draft.keep && (
        <>
          <TextField
            label={say('keep_hint')}
            hint={say('keep_example')}
            value={draft.keep_age}
            onChange={(age) => put({ keep_age: age })}
          />
          <TextField
            label={say('keep_bytes')}
            hint={say('bytes_example')}
            value={draft.keep_bytes}
            onChange={(bytes) => put({ keep_bytes: bytes })}
          />
        </>
      )}
    </fieldset>
  );
}
