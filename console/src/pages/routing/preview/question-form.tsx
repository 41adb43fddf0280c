/** The request that is asked about: who sends it, for which model, and how. */
import { Button, IconButton } from '../../../parts/button.tsx';
import { Checkbox } from '../../../parts/checkbox.tsx';
import { ComboBox } from '../../../parts/combo-box.tsx';
import { NumberField } from '../../../parts/number-field.tsx';
import { type Option, Select } from '../../../parts/select.tsx';
import { useSay } from '../../../words/words.ts';
import { words } from '../words.ts';
import styles from './preview.module.css';
import { type AskedQuestion, MOST_IN_CHAIN } from './question.ts';

const POLICIES = ['standard', 'strict', 'permissive'] as const;
const PRIVACY = ['public', 'internal', 'confidential', 'restricted'] as const;
/** Stands for the empty choice: a list needs a name for each of its lines. */
const AS_SET = 'as-set';

export interface QuestionFormProps {
  readonly asked: AskedQuestion;
  readonly keys: readonly string[];
  /** What may be asked for first, and what may follow. */
  readonly first: readonly Option[];
  readonly models: readonly Option[];
}

export function QuestionForm({ asked: { question, set }, keys, first, models }: QuestionFormProps) {
  const say = useSay(words);
  const [model = '', ...then] = question.chain;
  const setThen = (names: readonly string[]) => set({ fallback: names.join(',') });
  const missing = question.key !== '' && !keys.includes(question.key);
  return (
    <div className={styles.form}>
      <div className={styles.pair}>
        <Select
          label={say('preview_key')}
          options={keys.map((name) => ({ id: name, label: name }))}
          value={missing ? null : question.key}
          onChange={(key) => set({ key })}
          error={missing ? say('preview_key_missing', { key: question.key }) : null}
        />
        <ComboBox
          label={say('preview_model')}
          options={first}
          value={model}
          free
          onChange={(name) => set({ model: name.trim() })}
        />
      </div>
      {then.map((name, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is what this field is
        <div key={index} className={styles.then}>
          <div className={styles.grows}>
            <ComboBox
              label={say('preview_then', { place: index + 2 })}
              options={models}
              value={name}
              free
              onChange={(next) => setThen(then.with(index, next.trim().replaceAll(',', '')))}
            />
          </div>
          <IconButton
            icon="close"
            label={say('preview_remove_then', { place: index + 2 })}
            onPress={() => setThen(then.filter((_, other) => other !== index))}
          />
        </div>
      ))}
      <div className={styles.checks}>
        <Checkbox checked={question.stream} onChange={(on) => set({ stream: on ? '1' : '' })}>
          {say('preview_stream')}
        </Checkbox>
        <Checkbox checked={question.tools} onChange={(on) => set({ tools: on ? '1' : '' })}>
          {say('preview_tools')}
        </Checkbox>
        <Checkbox checked={question.image} onChange={(on) => set({ image: on ? '1' : '' })}>
          {say('preview_image')}
        </Checkbox>
      </div>
      <details className={styles.more}>
        <summary>{say('preview_more')}</summary>
        <div className={styles.options}>
          {question.chain.length < MOST_IN_CHAIN && (
            <div>
              <Button
                small
                icon="plus"
                onPress={() => setThen([...then, models.find(({ id }) => !question.chain.includes(id))?.id ?? model])}
              >
                {say('preview_add_then')}
              </Button>
            </div>
          )}
          <div className={styles.pair}>
            <Choice
              label={say('preview_policy')}
              value={question.policy}
              asSet={say('preview_as_set')}
              options={POLICIES.map((id) => ({ id, label: id }))}
              onChange={(policy) => set({ policy })}
            />
            <Choice
              label={say('preview_privacy')}
              value={question.privacy}
              asSet={say('preview_as_set')}
              options={PRIVACY.map((id) => ({ id, label: say(`privacy_${id}`) }))}
              onChange={(privacy) => set({ privacy })}
            />
            <NumberField
              label={say('preview_attempts')}
              value={question.attempts}
              min={1}
              max={20}
              onChange={(value) => set({ attempts: value === null ? '' : String(value) })}
            />
            <NumberField
              label={say('preview_hedge')}
              value={question.hedge}
              min={100}
              max={60_000}
              onChange={(value) => set({ hedge: value === null ? '' : String(value) })}
            />
          </div>
        </div>
      </details>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly asSet: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

/** A list whose first line leaves it to what is set. */
function Choice({ label, value, asSet, options, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      options={[{ id: AS_SET, label: asSet }, ...options]}
      value={value === '' ? AS_SET : value}
      onChange={(id) => onChange(id === AS_SET ? '' : id)}
    />
  );
}
