/** The lists of models of a workspace: `understudy/auto`, its virtual models, and its default model. */
import { Button } from '../../parts/button.tsx';
import { ComboBox } from '../../parts/combo-box.tsx';
import { Row, Section } from '../../parts/page.tsx';
import type { Option } from '../../parts/select.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { AddVirtualModel } from './add-virtual-model.tsx';
import { AUTO, type Draft, type VirtualModel } from './draft.ts';
import { ModelList } from './model-list.tsx';
import styles from './routing.module.css';
import { words } from './words.ts';

export interface ChainsProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly models: readonly Option[];
  /** Shows what a request for this name would do. */
  readonly onPreview: (name: string) => void;
}

export function Chains({ draft, change, models, onPreview }: ChainsProps) {
  const say = useSay(words);
  const { auto, virtual_models: virtual } = draft;
  const names = Object.keys(virtual);
  const put = (name: string, one: VirtualModel) => change({ virtual_models: { ...virtual, [name]: one } });
  const drop = (name: string) => {
    const { [name]: _, ...others } = virtual;
    change({ virtual_models: others });
  };
  return (
    <Section title={say('chains')} about={say('chains_about')}>
      <div className={styles.chain}>
        <ChainHead title={say('auto')} name={AUTO} onPreview={auto.length === 0 ? undefined : onPreview} />
        <p className={styles.soft}>{say(auto.length === 0 ? 'auto_none' : 'auto_about', { name: AUTO })}</p>
        <ModelList name={AUTO} list={auto} options={models} onChange={(list) => change({ auto: list })} />
      </div>
      {names.map((name) => {
        const one = virtual[name];
        if (one === undefined) return null;
        return (
          <div key={name} className={styles.chain}>
            <ChainHead title={name} name={name} onPreview={onPreview} onRemove={() => drop(name)} />
            <p className={styles.soft}>
              {say('virtual_about', { name })}
              {(one.routing !== undefined || one.redundancy !== undefined) && ` ${say('virtual_own')}`}
            </p>
            <ModelList
              name={name}
              list={one.models}
              options={models}
              onChange={(list) => put(name, { ...one, models: list })}
              needsOne
            />
          </div>
        );
      })}
      {names.length === 0 && <p className={styles.soft}>{say('virtual_none')}</p>}
      <AddVirtualModel taken={names} options={models} onAdd={(name, model) => put(name, { models: [model] })} />
      <DefaultModel value={draft.default_model} options={models} onChange={(name) => change({ default_model: name })} />
    </Section>
  );
}

interface ChainHeadProps {
  readonly title: string;
  readonly name: string;
  readonly onPreview?: ((name: string) => void) | undefined;
  readonly onRemove?: () => void;
}

function ChainHead({ title, name, onPreview, onRemove }: ChainHeadProps) {
  const say = useSay(words);
  const shared = useWords();
  return (
    <div className={styles.chainHead}>
      <h3>{title}</h3>
      <Row>
        {onPreview !== undefined && (
          <Button small kind="quiet" aria-label={say('preview_this_of', { name })} onPress={() => onPreview(name)}>
            {say('preview_this')}
          </Button>
        )}
        {onRemove !== undefined && (
          <Button small kind="quiet" aria-label={say('virtual_remove', { name })} onPress={onRemove}>
            {shared('do.remove')}
          </Button>
        )}
      </Row>
    </div>
  );
}

interface DefaultModelProps {
  readonly value: string | null;
  readonly options: readonly Option[];
  readonly onChange: (name: string | null) => void;
}

/** G-8: the default model is what the account grants a workspace. */
function DefaultModel({ value, options, onChange }: DefaultModelProps) {
  const say = useSay(words);
  const { role } = useSession();
  const locked = role !== 'account_admin';
  return (
    <div className={styles.chain}>
      <ComboBox
        label={say('default_model')}
        options={options}
        value={value ?? ''}
        onChange={(name) => onChange(name.trim() === '' ? null : name.trim())}
        free
        placeholder={say('default_none')}
        hint={`${say('default_about')}${locked ? ` ${say('default_locked')}` : ''}`}
        disabled={locked}
      />
    </div>
  );
}
