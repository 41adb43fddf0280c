/** Models with their channels, and what the workspace wants of each channel. */
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Count } from '../../parts/figures.tsx';
import { Section } from '../../parts/page.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import { ChannelCard } from './channel-card.tsx';
import { choiceOf, type Draft, withChoice } from './draft.ts';
import styles from './routing.module.css';
import type { Model } from './use-models.ts';
import { words } from './words.ts';

/** More at once make the page slow; found by typing, or by the button. */
const SHOWN = 40;

export interface ModelsProps {
  readonly workspace: string;
  readonly models: readonly Model[];
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

function fits({ id, channels }: Model, wanted: string): boolean {
  const texts = [id, ...channels.flatMap(({ channel, provider, upstream_model: there }) => [channel, provider, there])];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

export function Models({ workspace, models, draft, change }: ModelsProps) {
  const say = useSay(words);
  const [typed, setTyped] = useState('');
  const [most, setMost] = useState(SHOWN);
  const wanted = typed.trim().toLowerCase();
  const found = wanted === '' ? models : models.filter((model) => fits(model, wanted));
  const rest = found.length - most;
  return (
    <Section title={say('models')} about={say('models_about')}>
      {models.length === 0 ? (
        <Empty title={say('models_empty')} />
      ) : (
        <>
          <TextField
            label={say('models_find')}
            hideLabel
            placeholder={say('models_find')}
            type="search"
            value={typed}
            onChange={setTyped}
          />
          {found.length === 0 && <p className={styles.soft}>{say('models_none')}</p>}
          <ul className={styles.models}>
            {found.slice(0, most).map((model) => (
              <ModelEntry key={model.id} workspace={workspace} model={model} draft={draft} change={change} />
            ))}
          </ul>
          {rest > 0 && (
            <div>
              <Button onPress={() => setMost(most + SHOWN)}>
                {say('models_more', { count: Math.min(rest, SHOWN) })}
              </Button>
            </div>
          )}
        </>
      )}
    </Section>
  );
}

interface ModelEntryProps extends Omit<ModelsProps, 'models'> {
  readonly model: Model;
}

function ModelEntry({ workspace, model, draft, change }: ModelEntryProps) {
  const say = useSay(words);
  const { id, wildcard, context_window: window, channels } = model;
  const [before = '', after = ''] = say('window', { tokens: '\u0000' }).split('\u0000');
  const marks = channels.map(({ channel }) => choiceOf(draft.routing, id, channel));
  return (
    <li className={styles.model}>
      <details>
        <summary className={styles.modelHead}>
          <span className={styles.modelName}>{id}</span>
          <span className={styles.modelFacts}>
            {wildcard ? <Badge plain>{say('wildcard')}</Badge> : say('channels', { count: channels.length })}
            {window !== null && (
              <span>
                {before}
                <Count value={window} />
                {after}
              </span>
            )}
            {marks.some(({ prefer }) => prefer) && <Badge tone="info">{say('prefer')}</Badge>}
            {marks.some(({ byok_only }) => byok_only) && <Badge tone="info">{say('byok_only')}</Badge>}
          </span>
        </summary>
        {wildcard ? (
          <p className={styles.soft}>{say('wildcard_about')}</p>
        ) : (
          <ul className={styles.channels} aria-label={say('channels_of', { model: id })}>
            {channels.map((channel) => (
              <ChannelCard
                key={channel.id}
                channel={channel}
                workspace={workspace}
                choice={choiceOf(draft.routing, id, channel.channel)}
                onChoose={(choice) => change({ routing: withChoice(draft.routing, id, channel.channel, choice) })}
              />
            ))}
          </ul>
        )}
      </details>
    </li>
  );
}
